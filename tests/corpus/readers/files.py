"""Small real files of every format, made on the spot."""

import io
import zipfile
from pathlib import Path

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
DUBLIN = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'


def zip_of(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def docx(*paragraphs: str, title: str = "", heading: str = "") -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{p}</w:t></w:r></w:p>" for p in paragraphs)
    if heading:
        style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
        body += f"<w:p>{style}<w:r><w:t>{heading}</w:t></w:r></w:p>"
    return zip_of(
        {
            "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
            "docProps/core.xml": f"<core {DUBLIN}><dc:title>{title}</dc:title></core>",
        }
    )


def odt(*paragraphs: str, title: str = "", heading: str = "") -> bytes:
    text = 'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    body = "".join(f"<t:p>{p}</t:p>" for p in paragraphs) + f"<t:h>{heading}</t:h>" * bool(heading)
    return zip_of(
        {
            "content.xml": f"<doc {text}>{body}</doc>",
            "meta.xml": f"<meta {DUBLIN}><dc:title>{title}</dc:title></meta>",
        }
    )


def epub(*chapters: str, title: str = "") -> bytes:
    items = "".join(f'<item id="c{i}" href="text/c%20{i}.xhtml"/>' for i in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf" {DUBLIN}><metadata><dc:title>{title}</dc:title>'
        f"<dc:creator>A. Author</dc:creator></metadata><manifest>{items}</manifest><spine>{spine}</spine>"
        "</package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    parts: dict[str, str | bytes] = {"META-INF/container.xml": container, "OEBPS/book.opf": package}
    return zip_of(parts | {f"OEBPS/text/c {i}.xhtml": text for i, text in enumerate(chapters)})


def pdf(text: str, title: str = "", author: str = "") -> bytes:
    content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Title(%s)/Author(%s)>>" % (title.encode(), author.encode()),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size 7/Root 1 0 R/Info 6 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)
    return out + b"xref\n0 7\n0000000000 65535 f \n" + table + end


def encrypted_pdf(text: str) -> bytes:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=pypdf.PdfReader(io.BytesIO(pdf(text))))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def xlsx(rows: list[list[object]]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


EML = b"""From: Ann <ann@example.org>
To: bob@example.org
Subject: =?utf-8?q?Caf=C3=A9?= tonight
Date: Thu, 6 May 2004 07:08:09 +0200
Message-ID: <1@example.org>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8

Coffee at eight.
--b
Content-Type: text/html

<p>Coffee at <b>eight</b>.</p>
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename=x.pdf

%PDF
--b--
"""

MBOX = (
    b"From ann Thu May  6 07:08:09 2004\n"
    + EML
    + b"\nFrom bob Thu May  6 07:08:10 2004\nSubject: Re\n\n>From here on: yes.\n"
)

HTML = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Cats &amp; dogs</title>
<style>p {color: red}</style><script>if (1 < 2) alert("<p>no</p>")</script></head>
<body><nav><li>Home<li>About</nav><h1>Pets</h1><p>Cats <b>purr</b>.<br>Dogs bark.</p><!-- never > this -->
<img alt="a>b" src=x><table><tr><td>1 < 2</td><td>café</td></tr></table></body></html>"""


def folder_of_all(root: Path) -> dict[str, str]:
    """One file of each format of a document, and the text each should give."""
    files = {
        "a.txt": (b"plain text", "plain text"),
        "b.md": (b"# Title\n\nsome *text*", "Title\n\nsome text"),
        "c.html": (b"<p>markup <i>text</i>", "markup text"),
        "d.pdf": (pdf("portable text"), "portable text"),
        "e.docx": (docx("word text"), "word text"),
        "f.odt": (odt("open text"), "open text"),
        "g.epub": (epub("<p>book text"), "book text"),
        "h.eml": (EML, "Coffee at eight."),
    }
    root.mkdir(exist_ok=True)
    for name, (content, _) in files.items():
        (root / name).write_bytes(content)
    return {name: text for name, (_, text) in files.items()}
