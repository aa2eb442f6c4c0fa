"""Stages are run over a corpus in memory."""

from tests.support.ranking import aged as aged
from tests.support.ranking import column as column
from tests.support.ranking import fresh as fresh
from tests.support.ranking import measured as measured
from tests.support.ranking import run as run
