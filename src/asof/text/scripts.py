"""Which characters make words in which scripts, written as the insides of regular-expression classes.

Python's `\\w` leaves out combining marks, without which the words of Hindi, Thai or pointed Hebrew fall to
pieces; and scripts that put no space between words need bigrams in place of words.
"""

from __future__ import annotations

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1"
    "\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83"
    "\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18\u0f19\u0f35\u0f37"
    "\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3"
    "\u17dd\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3"
    "\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099\u309a"
    "\ua66f-\ua672\ua674-\ua67d\ua69e-\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d"
    "\ua947-\ua953\ua980-\ua9c0\ua9e5-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed"
    "\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U00011000-\U00011046\U00011100-\U00011134\U000e0100-\U000e01ef"
)
"""Combining marks; ranges run on over letters and unassigned characters, never over punctuation."""

KANA_AND_HAN = (
    "\u3005\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd"
)
"""Hiragana, Katakana, Bopomofo and Han: no space between words."""

CJK = KANA_AND_HAN + "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
"""The same and Hangul, which has spaces, but between phrases."""
