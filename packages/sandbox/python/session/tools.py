"""The module `tools` of the cells that were given tools."""


class Tools:
    def __init__(self, line):
        self.line = line
        self.module = type(sys)("tools")
        # One for all cells of a process, so that no answer to an earlier cell is taken for one to a later.
        self.connection = None
        # What the program has under this name itself.
        self.own = None
        # Whether a call may have been interrupted while it was sent.
        self.is_cut = False

    def offer(self, source):
        """Gives the cell the module, or takes it away. Functions of an earlier cell call the tools of the cell that runs."""
        if source is None:
            return self.withdraw()
        if sys.modules.get("tools") is not self.module:
            self.own = sys.modules.get("tools")
        names = vars(self.module)
        for name in [name for name in names if not name.startswith("__")]:
            del names[name]
        exec(compile(source, "<tools>", "exec"), names)
        self.connect(names)
        sys.modules["tools"] = self.module

    def connect(self, names):
        names["_connect"](self.line.tools, self.line.tools)
        new = names["_connection"]
        # A thread of the process that was copied may have been in the middle of a call.
        if self.connection is None or self.connection.owner != os.getpid():
            self.connection = new
        self.connection.max_bytes = new.max_bytes
        names["_connection"] = self.connection
        if self.is_cut:
            self.is_cut = False
            write_all(self.line.tools, b"\n")

    def withdraw(self):
        if sys.modules.get("tools") is self.module:
            del sys.modules["tools"]
            if self.own is not None:
                sys.modules["tools"] = self.own
