"""What shells need to complete commands: made from the parser, for bash, zsh and fish."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from geoctrl._explanations import explanations
from geoctrl._pages import catalogue_entries

__all__ = ["add_completion", "commands_of", "completion_text"]

_SHELLS = ("bash", "zsh", "fish")
_NAMES = ("NAME=VALUE", "NAME=PART")
"""Kinds of words that begin with a parameter or a symbol of a family."""
_FILES = {"MODEL": ("*.py", "*.xml", "*.urdf", "*.json"), "LAW": ("*.json",), "FILE": ("*",), "FOLDER": ()}
"""Files that a word of this name in the help may be."""


def add_completion(command: argparse.ArgumentParser, parser: argparse.ArgumentParser) -> None:
    """The argument of ``completion``, for the commands of the parser."""
    command.add_argument("shell", choices=_SHELLS)
    command.set_defaults(run=lambda args: _print_completion(args, parser))


def _print_completion(args: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    print(completion_text(args.shell, parser), end="")
    return 0


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands of a parser by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def completion_text(shell: str, parser: argparse.ArgumentParser) -> str:
    """The text that a shell reads."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](parser)


def _options(command: argparse.ArgumentParser) -> Iterator[tuple[str, str, str]]:
    """(option, what stands behind it, help) of a command."""
    for action in command._actions:
        for option in action.option_strings:
            choices = " ".join(map(str, action.choices)) if action.choices else ""
            taken = choices or (str(action.metavar or action.dest.upper()) if action.nargs != 0 else "")
            yield option, taken, action.help or ""


def _positional(command: argparse.ArgumentParser) -> str:
    """What stands in a command without an option: a word of its help, or the choices."""
    for action in command._actions:
        if not action.option_strings:
            if action.choices:
                return " ".join(map(str, action.choices))
            return str(action.metavar or action.dest.upper())
    return ""


def _words_of(kind: str) -> str:
    """Words, known beforehand, of a kind."""
    if kind == "MODEL":
        return " ".join(catalogue_entries())
    if kind == "KEY":
        return " ".join(explanations())
    return "" if kind.isupper() or "=" in kind else kind


def _families() -> Iterator[tuple[str, str]]:
    """Families of the mechanisms of the catalogue that have some."""
    for name, entry in catalogue_entries().items():
        if entry["families"]:
            yield name, " ".join(entry["families"])


def _names() -> Iterator[tuple[str, str]]:
    """Parameters and symbols of families in the catalogue, as --set and --over take them."""
    for name, entry in catalogue_entries().items():
        symbols = [symbol for family in entry["families"].values() for symbol in family]
        found = [f"{word}=" for word in dict.fromkeys([*entry["parameters"], *symbols])]
        if found:
            yield name, " ".join(found)


def _bash(parser: argparse.ArgumentParser) -> str:
    commands = commands_of(parser)
    lines = [
        '# geoctrl in bash: put   eval "$(geoctrl completion bash)"   into ~/.bashrc',
        "_geoctrl_families() {",
        "    case $1 in",
        *(f"        {name}) echo {words} ;;" for name, words in _families()),
        "    esac",
        "}",
        "_geoctrl_names() {",
        "    case $1 in",
        *(f"        {name}) echo {words} ;;" for name, words in _names()),
        "    esac",
        "}",
        "_geoctrl() {",
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} option= i words= files=",
        "    COMPREPLY=()",
        '    if [ "$COMP_CWORD" -eq 1 ]; then',
        f'        COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$word"))',
        "        return",
        "    fi",
        "    for ((i = COMP_CWORD - 1; i > 1; i--)); do",
        "        case ${COMP_WORDS[i]} in -*) option=${COMP_WORDS[i]}; break ;; esac",
        "    done",
        "    case ${COMP_WORDS[1]} in",
    ]
    for name, command in commands.items():
        lines += [f"        {name})", "            case $before$option in"]
        options = list(_options(command))
        for option, taken, _ in options:
            if taken and option != "--help":
                lines.append(f"                {option}{option}) {_bash_words(taken)} ;;")
        several = [a.option_strings for a in command._actions if a.nargs == "+"]
        for names in several:
            taken = next(t for o, t, _ in options if o == names[0])
            lines.append(f"                *{names[0]}) {_bash_words(taken)} ;;")
        lines += [
            f"                *) {_bash_words(_positional(command))} ;;",
            "            esac",
            f'            case $word in -*) words="{" ".join(o for o, _, _ in options)}"; files= ;; esac ;;',
        ]
    patterns = " | ".join(f"{kind}:{end}" for kind, ends in _FILES.items() for end in ends)
    lines += [
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '    [ -z "$files" ] || for i in $(compgen -f -- "$word"); do',
        '        if [ -d "$i" ]; then COMPREPLY+=("$i/"); continue; fi',
        f'        case $files:$i in {patterns}) COMPREPLY+=("$i") ;; esac',
        "    done",
        "    case ${COMPREPLY[0]} in *=|*/) compopt -o nospace 2>/dev/null ;; esac",
        "}",
        "complete -F _geoctrl geoctrl",
    ]
    return "\n".join(lines) + "\n"


def _bash_words(kind: str) -> str:
    """Statements that set the words and the files that may stand there."""
    if kind == "FAMILY":
        return 'words=$(_geoctrl_families "${COMP_WORDS[2]}")'
    if kind in _NAMES:
        return 'words=$(_geoctrl_names "${COMP_WORDS[2]}")'
    parts = [f'words="{_words_of(kind)}"'] if _words_of(kind) else []
    parts += [f"files={kind}"] if kind in _FILES else []
    return "; ".join(parts) or ":"


def _zsh(parser: argparse.ArgumentParser) -> str:
    """What bash is told, by zsh's own emulation of it."""
    head = '# geoctrl in zsh: put   eval "$(geoctrl completion zsh)"   into ~/.zshrc, after compinit\n'
    text = _bash(parser).split("\n", 1)[1].replace(" 2>/dev/null", " 2>/dev/null || :")
    return f"{head}autoload -U +X bashcompinit && bashcompinit\n{text}"


def _fish(parser: argparse.ArgumentParser) -> str:
    commands = commands_of(parser)
    lines = [
        "# geoctrl in fish: geoctrl completion fish > ~/.config/fish/completions/geoctrl.fish",
        "complete -c geoctrl -f",
        "function __geoctrl_families",
        "    switch (commandline -opc)[3]",
        *(f"        case {name}; string split ' ' '{words}'" for name, words in _families()),
        "    end",
        "end",
        "function __geoctrl_names",
        "    switch (commandline -opc)[3]",
        *(f"        case {name}; string split ' ' '{words}'" for name, words in _names()),
        "    end",
        "end",
    ]
    for name, command in commands.items():
        lines.append(f"complete -c geoctrl -n __fish_use_subcommand -a {name}")
        there = f"complete -c geoctrl -n '__fish_seen_subcommand_from {name}'"
        kind = _positional(command)
        if _words_of(kind):
            lines.append(f"{there} -a '{_words_of(kind)}'")
        if kind in _FILES:
            lines.append(f"{there} -F")
        for option, taken, told in _options(command):
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            lines.append(f"{there} {flag}{_fish_words(taken)} -d '{_fish_text(told)}'")
    return "\n".join(lines) + "\n"


def _fish_words(kind: str) -> str:
    if not kind:
        return ""
    dynamic = {"FAMILY": "(__geoctrl_families)"} | dict.fromkeys(_NAMES, "(__geoctrl_names)")
    if kind in _FILES:
        return " -r -F"
    words = dynamic.get(kind) or _words_of(kind)
    return f" -x -a '{words}'" if words else " -x"


def _fish_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
