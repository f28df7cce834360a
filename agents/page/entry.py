"""What a person may fill in, as HTML; every text escaped."""

from agents.page.cells import text_html
from agents.page.values import Field, Form, Question


def question_html(section: Question) -> str:
    """Return a field to ask by, without its section."""
    label, name, value = (text_html(text) for text in (section.label, section.name, section.value))
    return (
        f'<form class="box" action="{text_html(section.path)}"><label for="{name}">{label}</label>'
        f'<div><input id="{name}" name="{name}" value="{value}" required>'
        "<button>Show</button></div></form>"
    )


def form_html(form: Form, key: str) -> str:
    """Return a form, without its section; `key` is unique in the page and safe in an id."""
    hidden = "".join(
        f'<input type="hidden" name="{text_html(name)}" value="{text_html(value)}">'
        for name, value in form.hidden.items()
    )
    words = f"<p>{text_html(form.words)}</p>" if form.words else ""
    fields = "".join(
        _field_html(field, f"{key}-{place}") for place, field in enumerate(form.fields)
    )
    where = f'method="{text_html(form.method)}" action="{text_html(form.path)}"'
    return (
        f'<form class="box decide" {where} autocomplete="off">{hidden}{words}{fields}'
        f"<div><button>{text_html(form.button)}</button></div></form>"
    )


def _field_html(field: Field, key: str) -> str:
    name, value, hint = (text_html(text) for text in (field.name, field.value, field.hint))
    label = f'<label for="{key}">{text_html(field.label)}</label>'
    if field.choices:
        options = "".join(
            f'<option value="{text_html(choice)}"{" selected" if choice == field.value else ""}>'
            f"{text_html(words)}</option>"
            for choice, words in field.choices
        )
        return f'<p>{label}<select id="{key}" name="{name}">{options}</select></p>'
    required = " required" if field.required else ""
    return (
        f'<p>{label}<input id="{key}" name="{name}" value="{value}" '
        f'placeholder="{hint}"{required}></p>'
    )
