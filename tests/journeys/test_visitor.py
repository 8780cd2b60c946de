from tests.journeys.html import see

PAGE = """
<title>A page</title><a href="/one/"><img src="x" alt="Picture"> One</a>
<form id="first" method="post" action="/send/">
  <input name="plain" value="kept"><input type="checkbox" name="box" value="1" checked><input type="checkbox" name="box" value="2">
  <select name="choice"><option value="a">Apple<option value="b" selected>Bean</select>
  <textarea name="note">
words</textarea><input name="off" disabled value="x"><button name="do" value="go">Send it</button></form>
<input form="first" name="outside" value="too">
"""


def test_parsed_page_has_the_fields_a_browser_would_send() -> None:
    seen = see(PAGE)
    assert [(link.text, link.href) for link in seen.links] == [("Picture One", "/one/")]
    (form,) = seen.forms
    assert {name: control.values for name, control in form.controls.items()} == {
        "plain": ["kept"],
        "box": ["1"],
        "choice": ["b"],
        "note": ["words"],
        "outside": ["too"],
    }
    assert form.controls["choice"].options == {"a": "Apple", "b": "Bean"}
    assert [(button.text, button.name, button.value) for button in form.buttons] == [("Send it", "do", "go")]
