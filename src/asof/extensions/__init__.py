"""Extensions of asof that come with it. The core imports none of them: they are found by entry points."""
