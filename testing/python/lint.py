"""Prints unknown names and unused imports of Python files. Usage: lint.py MINOR_VERSION_OF_PYTHON_3 FILE..."""

import ast, builtins, os, symtable, sys

known = {*dir(builtins), '__name__', '__file__', '__builtins__'}


def uses(table, name):
    return any(
        (name in child.get_identifiers() and (child.lookup(name).is_free() or child.lookup(name).is_global())) or uses(child, name)
        for child in table.get_children()
    )


def look(table, top, futures):
    for symbol in sorted(table.get_symbols(), key=lambda symbol: symbol.get_name()):
        name = symbol.get_name()
        is_top = top is table
        if symbol.is_imported() and name not in futures and not symbol.is_referenced() and not uses(table, name):
            yield 'unused import %s in %s' % (name, table.get_name())
        is_global = symbol.is_global() or (is_top and not symbol.is_local())
        if is_global and symbol.is_referenced() and name not in known | defined(top):
            yield 'unknown name %s in %s' % (name, table.get_name())
    for child in table.get_children():
        yield from look(child, top, futures)


def defined(top):
    names = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()}
    return names | set(declared_global(top))


def declared_global(table):
    for child in table.get_children():
        yield from (symbol.get_name() for symbol in child.get_symbols() if symbol.is_declared_global() and symbol.is_assigned())
        yield from declared_global(child)


for path in sys.argv[2:]:
    with open(path, encoding='utf8') as file:
        source = file.read()
    tree = ast.parse(source, path, feature_version=(3, int(sys.argv[1])))
    futures = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == '__future__' for alias in node.names}
    top = symtable.symtable(source, path, 'exec')
    for fault in sorted(look(top, top, futures), key=lambda fault: fault.split()[2]):
        print('%s: %s' % (os.path.basename(path), fault))
