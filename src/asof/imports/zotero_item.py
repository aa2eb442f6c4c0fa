"""An item of Zotero as a text, an address and metadata."""

from __future__ import annotations

from asof.imports.html_words import words_of
from asof.imports.zotero_tables import ZoteroItem

_IN = (
    "publicationTitle", "bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle",
    "websiteTitle", "blogTitle", "forumTitle", "conferenceName",
)  # fmt: skip
"""The fields that name that in which an item stands."""

_TITLES = ("title", "caseName", "nameOfAct", "subject", "shortTitle")
_DATES = ("date", "dateDecided", "dateEnacted", "issueDate")
_BY = ("publisher", "university", "institution", "company", "studio", "label", "distributor", "network")
_META = {
    "DOI": "doi", "ISBN": "isbn", "ISSN": "issn", "volume": "volume", "issue": "issue", "pages": "pages",
    "citationKey": "citation_key", "rights": "rights",
}  # fmt: skip


def title_of(item: ZoteroItem) -> str:
    """Its title, which types of items call differently."""
    return next((" ".join(value.split()) for name in _TITLES if (value := item.fields.get(name))), "")


def date_of(item: ZoteroItem) -> str:
    """Its date, as Zotero stores it; "" for none."""
    return next((value for name in _DATES if (value := item.fields.get(name))), "")


def text_of(item: ZoteroItem) -> str:
    """Who wrote it, where it stands, and its abstract."""
    get = item.fields.get
    names = ", ".join(name for name, part in item.people if part in ("author", "")) or ", ".join(
        f"{name} ({part})" for name, part in item.people
    )
    place = next((value for name in _IN if (value := get(name, ""))), "")
    house = next((value for name in _BY if (value := get(name, ""))), "")
    line = ". ".join(" ".join(each.split()).rstrip(".") for each in (names, place, house) if each)
    abstract = words_of(get("abstractNote", "")).text
    return "\n\n".join(each for each in (line and f"{line}.", abstract) if each)


def uri_of(item: ZoteroItem) -> str:
    """The item's address, else that of its DOI."""
    url, doi = item.fields.get("url", "").strip(), item.fields.get("DOI", "").strip()
    if url or not doi:
        return url
    return doi if doi.lower().startswith(("http://", "https://")) else f"https://doi.org/{doi}"


def authors(item: ZoteroItem) -> dict[str, object]:
    names = [name for name, part in item.people if part == "author"] or [name for name, _ in item.people]
    return {"author": names} if names else {}


def meta_of(item: ZoteroItem) -> dict[str, object]:
    """Its type, authors, where it is kept and when it was added to the library, and its numbers."""
    numbers = {key: item.fields[name] for name, key in _META.items() if item.fields.get(name)}
    place = next((item.fields[name] for name in _IN if item.fields.get(name)), "")
    meta: dict[str, object] = {"type": item.kind, **authors(item), **numbers, "added": item.added}
    if place:
        meta["in"] = place
    if item.collections:
        meta["collections"] = item.collections
    return {key: value for key, value in meta.items() if value}
