"""Prints a line for each unknown name and each unused import of some files, which must have the syntax of Python 3.9."""

import ast, builtins, os, symtable, sys

known = {*dir(builtins), '__name__', '__file__'}


def uses(table, name):
    return any(
        (name in child.get_identifiers() and (child.lookup(name).is_free() or child.lookup(name).is_global())) or uses(child, name)
        for child in table.get_children()
    )


def look(table, top):
    for symbol in sorted(table.get_symbols(), key=lambda symbol: symbol.get_name()):
        name = symbol.get_name()
        is_top = top is table
        if symbol.is_imported() and not symbol.is_referenced() and not uses(table, name):
            yield 'unused import %s in %s' % (name, table.get_name())
        is_global = symbol.is_global() or (is_top and not symbol.is_local())
        if is_global and symbol.is_referenced() and name not in known | defined(top):
            yield 'unknown name %s in %s' % (name, table.get_name())
    for child in table.get_children():
        yield from look(child, top)


def defined(top):
    return {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()}


for path in sys.argv[1:]:
    with open(path, encoding='utf8') as file:
        source = file.read()
    ast.parse(source, path, feature_version=(3, 9))
    top = symtable.symtable(source, path, 'exec')
    for fault in sorted(look(top, top), key=lambda fault: fault.split()[2]):
        print('%s: %s' % (os.path.basename(path), fault))
