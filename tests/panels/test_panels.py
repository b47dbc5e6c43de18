"""Controls in a notebook: what a press or a move does, and what stays when there is no kernel."""

from __future__ import annotations

from threading import Event

from cell_outputs import in_page, said

from gemmlab.course import lesson as lessons
from gemmlab.errors import UserError
from gemmlab.panels.check_panel import CheckPanel, show_hint_bar
from gemmlab.panels.explorer_controls import ExplorerControls
from gemmlab.panels.prediction_field import show_prediction_field
from gemmlab.panels.quiz import show_choice, show_fault_field
from gemmlab.panels.slider import show_with_slider
from gemmlab.pictures.output import Markdown
from gemmlab.pictures.tiles.tiles import tile_picture
from gemmlab.trials.explore import Spot, explorer_of


def of_thread(panel) -> None:
    panel.work._thread.join(10)
    assert not panel.work.is_busy


def test_a_check_is_shown_in_the_widget_and_stays_without_it(outputs):
    results = [[Markdown("wrong")], [Markdown("right")]]
    panel = CheckPanel(lambda tick: results.pop(0), 1, lambda blank, level: Markdown(""), ["fma"])
    panel.show()
    assert in_page(panel).strip() == "wrong" and said(outputs).strip() == "wrong"
    panel.button.click()
    of_thread(panel)
    assert in_page(panel).strip() == "right" and said(outputs).strip() == "right"


def test_a_long_check_can_be_stopped_and_shows_how_far_it_is(outputs):
    begun, pressed = Event(), Event()

    def check(tick):
        for _ in range(1000):
            tick()
            begun.set()
            pressed.wait(10)
        return [Markdown("done")]

    panel = CheckPanel(check, 1000, lambda blank, level: Markdown(""), ["fma"])
    panel.stage.show(panel.widget, "")
    panel.button.click()
    assert begun.wait(10) and panel.work.is_busy
    assert panel.work.bar.value == 1 and panel.work.bar.layout.display is None
    panel.button.click()  # a second press while it is busy changes nothing
    panel.work.button.click()
    pressed.set()
    of_thread(panel)
    assert panel.work.bar.value == 2 and "Stopped" in in_page(panel) and "done" not in said(outputs)
    assert panel.work.bar.layout.display == panel.work.button.layout.display == "none"


def test_a_check_that_the_notebook_interrupts_says_so(outputs):
    def check(tick):
        raise KeyboardInterrupt

    panel = CheckPanel(check, 1, lambda blank, level: Markdown(""), [])
    panel.show()
    assert "Stopped" in said(outputs)


def test_hints_are_of_the_chosen_blank_and_go_with_the_next_check(outputs):
    panel = CheckPanel(
        lambda tick: [Markdown("wrong")], 1, lambda blank, level: Markdown(f"{blank} {level}"), ["a", "b"]
    )
    panel.show()
    panel.hints.blank.value = "b"
    panel.hints.buttons[3].click()
    assert in_page(panel).split() == ["b", "4", "wrong"]
    panel.button.click()
    of_thread(panel)
    assert in_page(panel).split() == ["wrong"]


def test_a_hint_bar_alone(outputs):
    show_hint_bar("fma", lambda blank, level: Markdown(f"**{blank}** {level}"), "Stuck?")
    assert outputs[0]["text/plain"] == "Stuck?"


def test_a_prediction_field_keeps_what_is_entered(outputs):
    entered = []

    def keep(text):
        entered.append(text)
        return Markdown(f"you predict {text}")

    show_prediction_field("How many?", "MB", None, keep)
    field, _, words = widget_of(outputs[1]).children
    field.value = "500"
    assert entered == ["500"] and "you predict 500" in words.value


def test_a_slider_leads_to_other_pictures_in_both_places(outputs):
    pictures = [tile_picture((48, 64, 80), 16, (0, 0, k)) for k in range(5)]
    show_with_slider(pictures, 2, "step")
    assert outputs[0]["text/plain"] == "step 2 of 0 to 4" and outputs[1] is pictures[2]


def test_the_explorer_moves(outputs):
    lesson = lessons.load("03")
    explorer = explorer_of(lesson.kernel, lesson.solution, {}, (35, 45, 25))
    controls = ExplorerControls(explorer, Spot((2, 1), 0, (1, 3)))
    controls.show()
    assert "interval 0 of 0 to 4" in outputs[0]["text/plain"] and "fills K tile 0" in outputs[1].alt
    assert f'alt="{outputs[1].alt}"'.replace("'", "&#x27;") in controls.stage._contents.value
    controls.interval.value = 3
    assert "uses K tile 1" in outputs[1].alt and controls.k_tile.value == 1
    controls.k_tile.value = 0
    assert controls.interval.value == 0 and "fills K tile 0" in outputs[1].alt
    controls.tx.value, controls.col.value = 15, 2
    assert "Block (x, y) = (2, 2)" in outputs[1].alt and "(15, 1) writes As[1][15] from A[33][15]" in outputs[1].alt
    assert "Bs[1][15] with 0" in outputs[1].alt, "column 47 of B does not exist"


def widget_of(output):
    """The widget behind a displayed bundle."""
    from ipywidgets.widgets import widget

    return widget._instances[output["application/vnd.jupyter.widget-view+json"]["model_id"]]


def test_a_choice_is_answered_in_the_cell(outputs):
    pressed = []

    def answer(value):
        pressed.append(value)
        return [Markdown(f"you said {value}")]

    show_choice(Markdown("Does it hold?"), {"It holds": True, "It does not hold": False}, answer)
    assert said(outputs).split("\n")[0] == "Does it hold?"
    buttons, contents, _ = widget_of(outputs[0]).children
    buttons.children[1].click()
    assert pressed == [False] and "you said False" in contents.value and "you said False" in said(outputs)


def test_a_fault_is_named_in_the_cell_and_a_wrong_kind_is_one_sentence(outputs):
    def answer(kind, line):
        if kind not in ("race", "misaligned"):
            raise UserError(f"{kind!r} is no kind of fault")
        return [Markdown(f"{kind} in line {line}")]

    show_fault_field(Markdown("What is wrong?"), ("race", "misaligned"), 40, answer)
    (kind, line, button), contents = widget_of(outputs[0]).children[0].children, widget_of(outputs[0]).children[1]
    button.click()
    assert "is no kind of fault." in contents.value
    kind.value, line.value = "race", 99
    button.click()
    assert "race in line 40" in contents.value, "there are no more lines"
