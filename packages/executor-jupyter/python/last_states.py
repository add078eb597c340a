"""
Updates the display of a widget that has changed at the end of its cell. A widget sends its changes to a page that shows it, such as each step
of a progress bar. A client without a page would have its first state only.
"""


def install():
    from IPython import get_ipython

    shell = get_ipython()
    formatter, publisher = shell.display_formatter, shell.display_pub
    format, publish = formatter.format, publisher.publish
    view, most = 'application/vnd.jupyter.widget-view+json', 100
    # The widgets that this cell has shown, with what was shown of them, by their models.
    formatted, shown = {}, {}

    def model_of(data):
        content = data.get(view)
        return content.get('model_id') if isinstance(content, dict) else None

    def format_and_note(value, *args, **kwargs):
        data, metadata = format(value, *args, **kwargs)
        model = model_of(data)
        if model is not None and len(shown) < most:
            formatted[model] = value
        return data, metadata

    def publish_with_name(data, metadata=None, *, transient=None, update=False, **kwargs):
        widget = formatted.pop(model_of(data), None)
        if widget is not None and not update and not transient:
            transient = {'display_id': 'fenced-widget-%s' % model_of(data)}
            shown[model_of(data)] = widget, data, transient
        publish(data, metadata, transient=transient, update=update, **kwargs)

    def show_last_states(*_):
        for widget, before, transient in list(shown.values()):
            try:
                data, metadata = format(widget)
            except Exception:
                continue
            if data and data != before:
                publish(data, metadata, transient=transient, update=True)
        formatted.clear()
        shown.clear()

    formatter.format, publisher.publish = format_and_note, publish_with_name
    shell.events.register('post_run_cell', show_last_states)
