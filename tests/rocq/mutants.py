"""A file for Rocq with one thing changed: data that prove nothing any more, or another statement."""

import re

STATEMENT = "Local Open Scope R_scope."


def mutants(text):
    """Changed texts by the kind of change."""
    cut = text.index(STATEMENT)
    data, statement = text[:cut], text[cut:]
    found = {}
    for kind, change in IN_DATA.items():
        if (changed := change(data)) is not None:
            found[kind] = changed + statement
    for kind, change in IN_STATEMENT.items():
        if (changed := change(statement)) is not None:
            found[kind] = data + changed
    return {kind: changed for kind, changed in found.items() if changed != text}


def _replaced(text, match, group, new):
    return None if match is None else text[: match.start(group)] + new + text[match.end(group) :]


def _multiplier_negated(data):
    zero = set(re.findall(r"Definition (e\d+) := Num \(0#1\)", data))
    found = [m for m in re.finditer(r"\] (e\d+)(?=[;\]])", data) if m[1] not in zero]
    return _replaced(data, found[-1], 1, f"(Mul (Num (-1#1)) {found[-1][1]})") if found else None


def _point_moved(data):
    found = re.search(r"Definition P_ : list expr := \[(e\d+)", data)
    return _replaced(data, found, 1, f"(Add {found[1]} (Num (1#1)))")


def _squares(data):
    return list(re.finditer(r"\(\((-?\d+)#(\d+)\), \[", data))


def _square_times_eight(data):
    found = _squares(data)
    return _replaced(data, found[0], 1, str(8 * int(found[0][1]))) if found else None


def _square_negated(data):
    found = _squares(data)
    return _replaced(data, found[-1], 1, str(-int(found[-1][1]))) if found else None


def _weight_dropped(data):
    found = re.search(r"\((?:e\d+|\(Var \d+\)), REq \d+\)", data)
    if found is None:
        return None
    left = data[: found.start()] + data[found.end() :]
    return left.replace("[; ", "[").replace("; ;", ";").replace("; ]", "]")


def _number_changed(data):
    found = [m for m in re.finditer(r"Definition e\d+ := Num \((\d+)#\d+\)\.", data) if int(m[1]) > 99]
    found = found or list(re.finditer(r"Definition e\d+ := Num \((\d+)#\d+\)\.", data))
    return _replaced(data, found[0], 1, str(int(found[0][1]) + 1)) if found else None


def _weight_of_forms_zero(data):
    if "ec_check" not in data:
        return None
    found = re.search(r"\n  (\(\d+#\d+\)) \(\d+#\d+\)\n  \[\(\(", data)
    return _replaced(data, found, 1, "(0#1)")


def _slack_times_a_billion(data):
    found = re.search(r"\n  \(\d+#\d+\) \((\d+)#\d+\)\n  \[\(\(", data)
    return None if found is None else _replaced(data, found, 1, str(int(found[1]) * 2**30))


def _rate_times_eight(data):
    found = re.search(r"Rate e\d+ \((\d+)#\d+\)", data)
    return None if found is None else _replaced(data, found, 1, str(8 * int(found[1])))


def _curve_reversed(data):
    found = re.search(r"Definition K_ : curve := Curve \[(.*?)\]", data)
    return None if found is None else _replaced(data, found, 1, "; ".join(found[1].split("; ")[::-1]))


def _slope_of_drift_negated(data):
    found = re.search(r"\n  \d+ \((-?\d+)#\d+\)\.", data) if "Family" in data else None
    return None if found is None else _replaced(data, found, 1, str(-int(found[1])))


def _parameter_changed(statement):
    found = re.search(r"Definition \w+ : R := \(?(\d+)", statement)
    return None if found is None else _replaced(statement, found, 1, str(int(found[1]) + 1))


def _sign_flipped(statement):
    begin = statement.index("derivable_pt_lim", statement.index("0 < t < T"))
    at = statement.find(" + ", begin)
    return None if at < 0 else f"{statement[:at]} - {statement[at + 3 :]}"


def _coordinate_exchanged(statement):
    found = re.search(r"derivable_pt_lim (\w+) t \((\w+) t\)", statement)
    return None if found is None else _replaced(statement, found, 2, found[1])


IN_DATA = {
    "multiplier negated": _multiplier_negated,
    "point moved": _point_moved,
    "square times eight": _square_times_eight,
    "square negated": _square_negated,
    "weight of an equation dropped": _weight_dropped,
    "number of the equations changed": _number_changed,
    "forms without weight": _weight_of_forms_zero,
    "slack times a billion": _slack_times_a_billion,
    "rate times eight": _rate_times_eight,
    "start curve reversed": _curve_reversed,
    "slope of the drift negated": _slope_of_drift_negated,
}

IN_STATEMENT = {
    "parameter of the statement changed": _parameter_changed,
    "sign of the statement flipped": _sign_flipped,
    "rate of another state": _coordinate_exchanged,
}
