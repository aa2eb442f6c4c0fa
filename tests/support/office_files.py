"""Documents of office programs and books of a few bytes, as tests need them; and how they are read there."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from types import ModuleType

from asof.extensions.documents.parts import Part, ReadLimits

KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_WORD = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{KINDS}" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
_SLIDES = (
    f'xmlns:a="{_DRAWING}/main" xmlns:c="{_DRAWING}/chart" xmlns:d="{_DRAWING}/diagram" '
    f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="{KINDS}"'
)
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "draw", "presentation", "style", "meta", "dc", "xlink")
)


def part_of(reader: ModuleType, raw: bytes, limits: ReadLimits, suffix: str = "") -> Part:
    """The one part that a reader makes of a file, whose headings stand on lines of their own."""
    (part,) = reader.read(raw, "stem", suffix, limits)
    assert isinstance(part, Part)
    for at, _, words in part.outline:
        assert part.text[at:].partition("\n")[0] == words
    return part


def headings(part: Part) -> list[tuple[int, str]]:
    return [(level, words) for _, level, words in part.outline]


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """An archive of these members, the same bytes at any time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def unzipped(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def relation(name: str, kind: str, target: str, more: str = "") -> str:
    return f'<Relationship Id="{name}" Type="{KINDS}/{kind}" Target="{target}" {more}/>'


def relations(*lines: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}">{"".join(lines)}</Relationships>'


EXTERNAL = 'TargetMode="External"'


def docx(body: str, core: str = "", **members: str) -> bytes:
    """A Word document; further members of word/ by their names. It has a link `rLink`, and one to a file."""
    links = [relation("rLink", "hyperlink", "https://e.org/a", EXTERNAL)]
    links += [relation("rFile", "hyperlink", "file:///c:/a", EXTERNAL)]
    links += [relation(f"r{name}", name, f"{name}.xml") for name in members]
    return zipped(
        _package("/word/document.xml", core)
        | {
            "word/document.xml": f"<w:document {_WORD}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(*links),
        }
        | {f"word/{name}.xml": f"<w:{name} {_WORD}>{xml}</w:{name}>" for name, xml in members.items()}
    )


def _package(main: str, core: str) -> dict[str, str | bytes]:
    named = [relation("r1", "officeDocument", main)]
    if not core:
        return {"_rels/.rels": relations(*named)}
    named.append(relation("r2", "metadata/core-properties", "docProps/core.xml"))
    return {"_rels/.rels": relations(*named), "docProps/core.xml": f"<core>{core}</core>"}


def pptx(*slides: str, core: str = "", show: str = "1", order: str = "", **members: str) -> bytes:
    """A presentation. Every slide relates to a link, and to the members of ppt/ that are given."""
    ids = "".join(f'<p:sldId id="{255 + int(n)}" r:id="s{n}"/>' for n in order or range(1, len(slides) + 1))
    section = f'<p:extLst><x:sldId xmlns:x="p14" id="256"/></p:extLst><p:sldIdLst>{ids}</p:sldIdLst>'
    links = [relation("rLink", "hyperlink", "https://e.org/a", EXTERNAL)]
    links += [relation(name, name, f"../{name}.xml") for name in members]
    named = [relation(f"s{n}", "slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)]
    made = _package("ppt/presentation.xml", core) | {
        "ppt/presentation.xml": f"<p:presentation {_SLIDES}>{section}</p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(*named),
    }
    for n, shapes in enumerate(slides, 1):
        tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
        made[f"ppt/slides/slide{n}.xml"] = f'<p:sld show="{show}" {_SLIDES}>{tree}</p:sld>'
        made[f"ppt/slides/_rels/slide{n}.xml.rels"] = relations(*links)
    return zipped(
        made | {f"ppt/{name}.xml": f"<p:root {_SLIDES}>{xml}</p:root>" for name, xml in members.items()}
    )


def odf(body: str, meta: str = "", styles: str = "", kind: str = "text", manifest: str = "") -> bytes:
    """An OpenDocument file of a kind: text, presentation ..."""
    content = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    styles = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    members: dict[str, str | bytes] = {
        "META-INF/manifest.xml": f"<manifest>{manifest}</manifest>",
        "content.xml": f"<office:document-content {_ODF}>{styles}{content}</office:document-content>",
    }
    return zipped(members | ({"meta.xml": f"<office:meta {_ODF}>{meta}</office:meta>"} if meta else {}))


def xlsx(*sheets: tuple[str, str], hidden: str = "", core: str = "") -> bytes:
    """A workbook of sheets, each a name and the XML of its rows. Cells of the style 1 are days."""
    states = {name: "hidden" if name == hidden else "visible" for name, _ in sheets}
    named = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}" state="{states[name]}"/>'
        for n, (name, _) in enumerate(sheets, 1)
    )
    related = [relation(f"r{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    members = _package("xl/workbook.xml", core) | {
        "xl/workbook.xml": f'<workbook xmlns="{_SHEETS}" xmlns:r="{KINDS}"><sheets>{named}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": relations(*related),
        "xl/styles.xml": f'<styleSheet xmlns="{_SHEETS}"><cellXfs count="2"><xf numFmtId="0"/>'
        '<xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    for n, (_, rows) in enumerate(sheets, 1):
        data = f"<sheetData>{rows}</sheetData>"
        members[f"xl/worksheets/sheet{n}.xml"] = f'<worksheet xmlns="{_SHEETS}">{data}</worksheet>'
    return zipped(members)


def epub(chapters: Mapping[str, str], nav: str = "", ncx: str = "", metadata: str = "", **more: str) -> bytes:
    """A book of members, each the content of a body; further members by name, with `__` for a slash."""
    markup = 'media-type="application/xhtml+xml"'
    items = "".join(f'<item id="{name}" href="{name}%2Exhtml" {markup}/>' for name in chapters)
    items += f'<item id="nav" href="nav.xhtml" properties="nav" {markup}/>' * bool(nav)
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' * bool(ncx)
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    members = {
        "META-INF/container.xml": '<container><rootfile full-path="OPS/book.opf"/></container>',
        "OPS/book.opf": f'<package xmlns:dc="d"><metadata>{metadata}</metadata><manifest>{items}</manifest>'
        f'<spine toc="ncx">{spine}</spine></package>',
        **{
            f"OPS/{name}.xhtml": f"<html><head><title/></head>{body}</html>"
            for name, body in chapters.items()
        },
        "OPS/nav.xhtml": nav,
        "OPS/toc.ncx": ncx,
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    return zipped({name: text for name, text in members.items() if text})
