"""What a browser makes of a card, read strictly: tags in order, none that acts, and the text that is seen."""

import re
from html.parser import HTMLParser

TAGS = {
    *(
        "div",
        "b",
        "p",
        "span",
        "sup",
        "table",
        "tbody",
        "tr",
        "td",
        "th",
        "details",
        "summary",
        "svg",
        "path",
    ),
    *("br", "img"),
}
ATTRIBUTES = {
    *("style", "width", "height", "viewbox", "role", "aria-label", "d", "fill", "stroke", "alt", "src"),
    *("stroke-width", "stroke-linejoin"),
}
EMPTY = {"br", "img", "path"}


class Card(HTMLParser):
    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.open, self.pieces, self.tags, self.images = [], [], [], []
        self.feed(markup)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, tag
        for name, value in attributes:
            assert name in ATTRIBUTES, name
            assert name != "src" or value.startswith("data:image/"), value
            assert name != "style" or not re.search(r"url|expression|@|<", value), value
        self.tags.append(tag)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in EMPTY, tag
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.pieces.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment

    @property
    def text(self):
        return "".join(self.pieces)


def seen(markup):
    """The text of a card, in which no formula is found: letters that begin one stand alone."""
    card = Card(markup)
    for piece in card.pieces:
        assert len(piece) == 1 or not re.search(r"[$\\`]", piece), piece
    return card.text
