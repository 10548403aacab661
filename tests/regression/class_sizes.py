"""How large classes are: methods, fields, and lines over all their files, by reading C++ as text.

It knows as much of C++ as the house uses: classes in namespaces and in classes, functions defined in a class or outside of
it (A::B::f), initialisers with braces, bit fields. Macros are not expanded."""

import collections
import re

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|<=>|<<=|[-+*/%&|^=!<>]=|&&|\|\||[^\s\w]")
OPENING = {"(": ")", "[": "]", "{": "}"}
KEYWORDS_OF_NO_MEMBER = {"using", "typedef", "friend", "static_assert", "enum"}

Size = collections.namedtuple("Size", "methods fields lines")


def blank(match):
    """What is left of a comment or literal: its lines."""
    text = match[0]
    return ('""' if text[0] in "\"'R" else " ") + "\n" * text.count("\n")


def without_text(source):
    """Comments gone, literals empty, directives blank; lines stay where they are."""
    source = re.sub(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
                    blank, source, flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", blank, source, flags=re.MULTILINE)


def tokens_of(source):
    """(text, line) of each token."""
    tokens, line, at = [], 1, 0
    source = without_text(source)
    for match in TOKEN.finditer(source):
        line += source.count("\n", at, match.start())
        at = match.start()
        tokens.append((match[0], line))
    return tokens


class Reader:
    """The classes and functions of one file."""

    def __init__(self, source):
        self.tokens = tokens_of(source)
        self.classes = collections.defaultdict(lambda: [0, 0, 0])  # qualified name -> methods, fields, lines
        self.definitions = []  # outside of classes: (qualified name of the class, lines)
        self.scope(0, len(self.tokens), "")

    def text(self, at):
        return self.tokens[at][0] if at < len(self.tokens) else ""

    def closing(self, at):
        """Behind the bracket that closes the one at `at`."""
        stack = []
        while at < len(self.tokens):
            text = self.text(at)
            if text in OPENING:
                stack.append(OPENING[text])
            elif stack and text == stack[-1]:
                stack.pop()
                if not stack:
                    return at + 1
            at += 1
        return at

    def angles(self, at):
        """Behind the angle bracket that closes the one at `at`."""
        depth = 0
        while at < len(self.tokens):
            text = self.text(at)
            if text in OPENING:
                at = self.closing(at)
                continue
            if text == "<":
                depth += 1
            elif text == ">":
                depth -= 1
                if depth == 0:
                    return at + 1
            elif text in ";":
                return at
            at += 1
        return at

    def head(self, at, end):
        """A statement up to what decides what it is: (kind, where that is). Kinds: function, field, class, block."""
        name = None  # of a class
        while at < end:
            text = self.text(at)
            if text in ("class", "struct", "union") and name is None:
                name = ""
            elif text == "operator":
                at += 1
                while self.text(at) != "(" or self.text(at + 1) == ")" == self.text(at - 1):
                    at += 1
                if self.text(at - 1) == "operator":  # operator()()
                    at = self.closing(at)
                return "function", at, name
            elif text in ("alignas", "decltype", "requires") and self.text(at + 1) == "(":
                at = self.closing(at + 1)
                continue
            elif text == "[":
                at = self.closing(at)
                continue
            elif text == "<" and at and re.match(r"\w", self.text(at - 1)):
                at = self.angles(at)
                continue
            elif text == "(":
                return "function", at, name
            elif text == "{":
                return ("class" if name else "block"), at, name
            elif text in ("=", ";", ",") or (text == ":" and not name):
                return "field", at, name
            elif text == ":" and name:  # bases
                while self.text(at) != "{":
                    at = self.angles(at) if self.text(at) == "<" else at + 1
                return "class", at, name
            elif name == "" and re.match(r"[A-Za-z_]", text) and text != "final":
                name = text
                while self.text(at + 1) == "::":
                    name += "::" + self.text(at + 2)
                    at += 2
            elif name and re.match(r"[A-Za-z_]", text) and text != "final":
                name = None  # struct A b: a field, or a function
                while at < end and self.text(at) not in ("(", "=", ";", "{"):
                    at += 1
                continue
            at += 1
        return "field", at, name

    def function_end(self, at, end):
        """From its parameters on: behind its semicolon or body."""
        at = self.closing(at)
        initialisers = False
        while at < end:
            text = self.text(at)
            if text == ";":
                return at + 1
            if text == ":":
                initialisers = True
            if text == "{":
                if initialisers and re.match(r"[\w>]", self.text(at - 1)):
                    at = self.closing(at)
                    continue
                return self.closing(at)
            if text in ("(", "["):
                at = self.closing(at)
                continue
            at += 1
        return at

    def field_end(self, at, end):
        """From its first initialiser or separator on: (behind its semicolon, how many it declares)."""
        count = 1
        while at < end:
            text = self.text(at)
            if text == ";":
                return at + 1, count
            if text == ",":
                count += 1
            if text in OPENING:
                at = self.closing(at)
            elif text == "<" and re.match(r"[A-Za-z_]", self.text(at - 1)):
                at = self.angles(at)
            else:
                at += 1
        return at, count

    def line(self, at):
        return self.tokens[min(at, len(self.tokens) - 1)][1]

    def scope(self, at, end, name):
        """The statements of a file, a namespace or, with a name, a class."""
        nested = 0
        while at < end:
            begin, text = at, self.text(at)
            if text in ("public", "private", "protected") and self.text(at + 1) == ":":
                at += 2
                continue
            if text in (";", "}"):
                at += 1
                continue
            if text == "template":
                at = self.angles(at + 1)
                continue
            if text in ("namespace", "extern"):
                while self.text(at) not in ("{", ";", "="):
                    at += 1
                if self.text(at) == "{":
                    self.scope(at + 1, self.closing(at) - 1, name)
                at = self.closing(at) if self.text(at) == "{" else self.field_end(at, end)[0]
                continue
            if text in KEYWORDS_OF_NO_MEMBER:
                at = self.field_end(at, end)[0]
                continue
            kind, at, inner = self.head(at, end)
            if kind == "class":
                close = self.closing(at)
                qualified = f"{name}::{inner}" if name else inner
                self.scope(at + 1, close - 1, qualified)
                self.classes[qualified][2] += self.line(close - 1) - self.line(begin) + 1
                nested += self.line(close - 1) - self.line(begin) + 1
                if self.text(close) != ";" and name:  # with a field of the type
                    self.classes[name][1] += 1
                at = self.field_end(close, end)[0]
            elif kind == "function":
                owner = self.owner(begin, at)
                at = self.function_end(at, end)
                if name:
                    self.classes[name][0] += 1
                elif owner and self.text(at - 1) == "}":
                    self.definitions.append((owner, self.line(at - 1) - self.line(begin) + 1))
            elif kind == "block":  # a field with braces
                at, count = self.field_end(at, end)
                if name:
                    self.classes[name][1] += count
            else:
                at, count = self.field_end(at, end)
                static = any(self.text(i) in ("static", "constexpr") for i in range(begin, min(begin + 4, at)))
                if name and not static:
                    self.classes[name][1] += count
        if name:
            self.classes[name][2] -= nested

    def owner(self, begin, parenthesis):
        """A::B of `A::B::f(`; none if the name is not qualified."""
        at, names = parenthesis - 1, []
        for i in range(begin, parenthesis):
            if self.text(i) == "operator":
                at = i
        while at - 1 > begin:
            if self.text(at - 1) == "~":
                at -= 1
            if self.text(at - 1) != "::":
                break
            if self.text(at - 2) == ">":  # A<T>::f
                return None
            names.insert(0, self.text(at - 2))
            at -= 2
        return "::".join(names) or None


def sizes(sources):
    """Of the classes in the sources of a room (path -> text): name -> Size. Functions outside of a class count for the class of
    the room whose name ends as they say."""
    total, definitions = collections.defaultdict(lambda: [0, 0, 0]), []
    for text in sources.values():
        reader = Reader(text)
        for name, size in reader.classes.items():
            total[name] = [a + b for a, b in zip(total[name], size)]
        definitions += reader.definitions
    for owner, lines in definitions:
        known = next((name for name in total if name == owner or name.endswith("::" + owner)
                      or owner.endswith("::" + name)), None)
        if known:
            total[known][2] += lines
    return {name: Size(*size) for name, size in total.items()}
