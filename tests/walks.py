"""The way of an argument through the package: functions that it enters, modules that it comes back to."""

import sys


def walk(call, argument):
    """Stops, (module, function) in order, and the number of returns, of an argument in a call.

    A stop is a function of the package that is called with the argument, a return a module that is entered
    again after another one. What Python makes (initialisers of records, comprehensions) and methods of the
    argument itself are no stops.
    """
    entered = []

    def profile(frame, event, _):
        code, module = frame.f_code, frame.f_globals.get("__name__", "")
        if event != "call" or not module.startswith("geoctrl.") or "<" in code.co_filename + code.co_name:
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(frame.f_locals.get(name) is argument for name in names if name != "self"):
            entered.append((module, code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    modules = [module for k, (module, _) in enumerate(entered) if k == 0 or entered[k - 1][0] != module]
    return list(dict.fromkeys(entered)), len(modules) - len(set(modules))
