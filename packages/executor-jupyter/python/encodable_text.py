"""
Keeps the output of a cell whose text UTF-8 cannot encode, such as half of a surrogate pair.

A plain ipykernel notices such a text when it publishes a message, and loses the whole message: lines that were printed before and after, the
traceback, or the result. Here the streams behave as those of a program: on stdout the `print` fails, and stderr shows an escape. All other
messages show an escape, too.
"""


def install():
    from IPython import get_ipython

    kernel = get_ipython().kernel
    session = kernel.session
    pack = session.pack

    def encodable(stream, text):
        try:
            text.encode()
            return text
        except UnicodeEncodeError:
            errors = 'backslashreplace' if stream.name == 'stderr' else 'surrogateescape'
            return text.encode(errors=errors).decode(errors='replace')

    def pack_encodable(value):
        try:
            packed = pack(value)
            if not packed.isascii():
                packed.decode()
            return packed
        except UnicodeError:
            return pack(escaped(value))

    def escaped(value):
        if isinstance(value, str):
            return value.encode(errors='backslashreplace').decode()
        if isinstance(value, dict):
            return {escaped(key): escaped(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [escaped(each) for each in value]
        return value

    session.pack = pack_encodable
    # For `pace_output.py`, which replaces the `write` of the streams.
    kernel.fenced_encodable = encodable
