"""The page in a real browser: what a person does with it, by clicks and keys."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

WHO = "who is the harbour master"
VIEWS = {
    "search": f"/?q={WHO}&as_of=2019-06-01",
    "two-dates": "/?view=compare&q=harbour master&a=2018&b=2022",
    "timeline": "/?view=timeline&q=harbour master",
    "facts": "/?view=facts&subject=Runa Osterby",
    "reports": "/?view=reports&period=2021",
    "changes": "/?view=changes&since=2023",
    "documents": "/?view=documents&tag=ferry",
    "out-of-date": "/?view=stale",
    "start": "/",
    "overview": "/?view=overview",
    "document": "/?view=document&document=Boat kit",
    "versions": "/?view=document&document=pier&as_of=2021-01-01&against=2018-05-01T23:59:59.999999Z&side=1",
}


def ready(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("#status")).not_to_have_text("")


def answer(page: Page):
    return page.locator(".answer").first


def test_a_question_is_answered_and_found(page):
    ready(page, "/")
    page.fill("#q", WHO)
    page.keyboard.press("Enter")
    expect(answer(page)).to_contain_text("Jesper Quant")
    expect(page.locator(".hit")).to_have_count(10)
    expect(page.locator("#status")).to_have_text("10 hits as of now")


def test_an_answer_is_copied_with_its_sources(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ready(page, f"/?q={WHO}")
    answer(page).get_by_role("button", name="Copy").click()
    expect(answer(page).get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{WHO}\n\n[1] “")
    assert "Jesper Quant" in copied
    assert "\nas of " in copied


@pytest.mark.parametrize(
    ("day", "name"),
    [("2017-06-01", "Ebbe Calloway"), ("2019-06-01", "Runa Osterby"), ("2024-06-01", "Jesper Quant")],
)
def test_moving_the_slider_changes_the_harbour_master(page, day, name):
    ready(page, f"/?q={WHO}")
    number = page.evaluate("day => Math.floor(Date.parse(day) / 86400000)", day)
    page.locator("#day").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }", number
    )
    expect(answer(page)).to_contain_text(name)
    expect(page).to_have_url(re.compile(f"as_of={day}"))


def test_the_slider_says_its_day(page):
    ready(page, f"/?q={WHO}&as_of=2019-06-01")
    slider = page.locator("#day")
    expect(slider).to_have_attribute("aria-valuetext", "1 June 2019")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "2 June 2019")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageUp")
    expect(slider).to_have_attribute("aria-valuetext", "1 July 2019")
    page.keyboard.press("PageDown")
    expect(slider).to_have_attribute("aria-valuetext", "1 June 2019")
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("2016"))


def test_keys_move_by_years_and_to_now(page):
    ready(page, f"/?q={WHO}&as_of=2019-06-01")
    page.locator("body").press("]")
    expect(page.locator("#told")).to_have_text("1 June 2020")
    page.locator("body").press("[")
    page.locator("body").press("[")
    expect(page.locator("#told")).to_have_text("1 June 2018")
    page.locator("body").press("n")
    expect(page.locator("#told")).to_have_text("now")
    expect(answer(page)).to_contain_text("Jesper Quant")


def test_a_movement_ends_where_another_moment_is_chosen(page):
    """Now is chosen while the results of a movement are still to be asked for."""
    ready(page, f"/?q={WHO}")
    page.evaluate(
        """() => {
            const day = document.getElementById("day");
            day.value = Number(day.min) + 400;
            day.dispatchEvent(new Event("input"));
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
        }"""
    )
    expect(page.locator("#told")).to_have_text("now")
    page.wait_for_timeout(200)  # longer than a movement waits
    expect(page.locator("#told")).to_have_text("now")
    expect(answer(page)).to_contain_text("Jesper Quant")


def test_the_search_box_has_the_focus_at_first(page):
    ready(page, "/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type(WHO)
    page.keyboard.press("Enter")
    expect(answer(page)).to_contain_text("Jesper Quant")


def test_the_first_page_has_examples_of_this_corpus(page):
    ready(page, "/")
    expect(page.locator("#content li")).to_have_count(12)  # the newest documents
    page.get_by_role("link", name="Ferry fares", exact=True).click()
    expect(page.locator("#q")).to_have_value("Ferry fares")
    expect(answer(page)).to_contain_text("€4.90")


@pytest.mark.parametrize(
    ("typed", "only", "seen", "gone"),
    [
        (
            "ferry fares after:2023",
            "published since 1 January 2023",
            "from 1 April 2024",
            "from 1 April 2016",
        ),
        ("ferry fares before:2017", "published until", "from 1 April 2016", "from 1 April 2024"),
        ("rope tag:money", "tag money", "Boat kit", "Lease"),
        ("harbour master path:bollard/", "in", "bollard", "Harbour office notice"),
        ('the mole -"Second Opinion"', "without", "mole", "Second Opinion"),
    ],
)
def test_operators_of_the_search_box(page, typed, only, seen, gone):
    ready(page, "/")
    page.fill("#q", typed)
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(f"^Only: .*{only}"))).to_be_visible()
    expect(page.locator(".hit").first).to_be_visible()
    text = " ".join(page.locator(".hit").all_inner_texts())
    assert seen in text
    assert gone not in text


def test_filters_alone_list_documents(page):
    ready(page, "/")
    page.fill("#q", "tag:kit after:2021")
    page.keyboard.press("Enter")
    expect(page.locator("#content tbody tr")).to_have_count(1)
    expect(page.get_by_label("Tag")).to_have_value("kit")
    expect(page.get_by_label("Published since")).to_have_value("2021")


def test_labels_of_the_axis_do_not_overlap_on_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 700})
    ready(page, f"/?q={WHO}")
    boxes = [mark.bounding_box() for mark in page.locator("#axis .mark").all()]
    assert len(boxes) > 1
    assert all(left["x"] + left["width"] <= right["x"] for left, right in pairwise(boxes))


def test_an_operator_that_cannot_be_read_is_said(page):
    ready(page, "/?q=ferry after:someday")
    expect(page.locator(".problem").first).to_contain_text("someday")


def test_keys_move_through_the_results(page):
    ready(page, f"/?q={WHO}&as_of=2019-06-01")
    body, titles = page.locator("body"), page.locator(".hit h3 a")
    body.press("j")
    expect(titles.nth(0)).to_be_focused()
    body.press("j")
    expect(titles.nth(1)).to_be_focused()
    body.press("k")
    expect(titles.nth(0)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#content h2").first).to_have_text("Harbour office notice 2019")


def test_more_hits_are_shown_on_demand(page):
    ready(page, f"/?q={WHO}")
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".hit")).to_have_count(30)


def test_slash_goes_to_the_search_box_and_escape_leaves_it(page):
    ready(page, f"/?q={WHO}")
    page.locator("body").press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("a/b?")
    expect(page.locator("#q")).to_have_value(f"{WHO}a/b?")
    page.keyboard.press("Escape")
    expect(page.locator("#q")).not_to_be_focused()


def test_a_question_mark_shows_the_help(page):
    ready(page, f"/?q={WHO}")
    page.locator("body").press("?")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Help")).to_be_hidden()
    page.click("#help")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog", name="Help")).to_be_hidden()


def test_a_shared_address_restores_what_was_seen(page):
    ready(page, VIEWS["search"])
    expect(page.locator("#q")).to_have_value(WHO)
    expect(page.locator("#told")).to_have_text("1 June 2019")
    expect(answer(page)).to_contain_text("Runa Osterby")


def test_the_back_button_goes_back(page):
    ready(page, VIEWS["search"])
    page.get_by_role("link", name="Timeline").click()
    expect(page.locator(".entry").first).to_be_visible()
    page.get_by_role("button", name="Now", exact=True).click()
    expect(page.locator("#told")).to_have_text("now")
    page.go_back()
    expect(page.locator("#told")).to_have_text("1 June 2019")
    page.go_back()
    expect(answer(page)).to_contain_text("Runa Osterby")


def test_a_typed_date(page):
    ready(page, f"/?q={WHO}")
    page.fill("#typed", "spring 2017")
    page.keyboard.press("Enter")
    expect(answer(page)).to_contain_text("Ebbe Calloway")
    expect(page.locator("#told")).to_contain_text("2017")
    page.fill("#typed", "no such day")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_contain_text("no such day")


def test_the_second_clock(page):
    ready(page, f"/?q={WHO}")
    page.get_by_role("button", name="Known at…").click()
    page.fill("#known_at", "2001")
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_contain_text("Nothing was found")
    assert "known_at=2001" in page.url


def test_what_superseded_a_hit_moves_the_slider(page):
    ready(page, VIEWS["search"])
    hit = page.locator(".hit", has_text="superseded on").first
    hit.get_by_role("link", name=re.compile("January 2019")).click()
    expect(page.locator("#told")).to_have_text("14 January 2019")


def test_why_shows_bars_and_a_tree_that_adds_up(page):
    ready(page, VIEWS["search"])
    hit = page.locator(".hit").first
    hit.get_by_role("button", name="Why here?").click()
    expect(hit.locator(".bar").first).to_be_visible()
    expect(hit.locator("details.why > summary").first).to_contain_text("score between 0 and 1 = ")
    hit.get_by_role("button", name="Why here?").click()
    expect(hit.locator(".bar")).to_have_count(0)


def test_why_not(page):
    ready(page, VIEWS["search"])
    page.get_by_label("A document that you miss").fill("Harbour office notice 2024")
    page.get_by_role("button", name="Why not?").click()
    expect(page.locator("form.fields [role=status]")).not_to_be_empty()


def test_two_dates_side_by_side(page):
    ready(page, "/?view=compare&q=harbour master")
    page.get_by_label("One date").fill("2018")
    page.get_by_label("Another date").fill("2022")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".answer").nth(0)).to_contain_text("Ebbe Calloway")
    expect(page.locator(".answer").nth(1)).to_contain_text("May Hollis")
    expect(page.locator(".entry").first).to_be_visible()


def test_a_timeline_leads_to_its_moments(page):
    ready(page, VIEWS["timeline"])
    expect(page.locator(".entry")).to_have_count(4)
    page.locator(".entry a").first.click()
    expect(page.locator("#told")).to_contain_text("2016")


def test_a_timeline_shows_what_went_and_what_came(page):
    ready(page, VIEWS["timeline"])
    second = page.locator(".entry").nth(1)
    expect(second.locator(".removed")).to_have_text("−removed: Harbour master: Ebbe Calloway.")
    expect(second.locator(".added")).to_have_text("+added: Harbour master: Runa Osterby.")
    expect(second.locator(".added ins")).to_have_text("Runa Osterby.")
    expect(page.locator(".entry").first.locator(".removed")).to_have_count(0)


SCRIPTED = ["/?q=scripted pier", "/?view=document&document=x.md", "/?view=timeline&q=scripted pier"]


@pytest.mark.parametrize("address", SCRIPTED)
def test_scripts_in_documents_are_text(page, address):
    ready(page, address)
    expect(page.locator("#content")).to_contain_text("<script>")
    assert page.evaluate("window.broken") is None
    assert page.locator("#content script, #content img, #content b").count() == 0


def test_nothing_found_says_what_to_do(page):
    ready(page, "/?q=zzzzqqqq&as_of=2017-01-01")
    expect(page.locator("#content")).to_contain_text("Try other words")


def test_a_server_that_is_gone_is_said(page):
    ready(page, "/")
    busy = '{"error": {"message": "too busy"}}'
    page.route("**/api/v1/**", lambda route: route.fulfill(status=422, body=busy))
    page.fill("#q", "x")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_have_text("too busy")
    page.unroute("**/api/v1/**")


def test_a_key_is_asked_for(chromium, keyed):
    address, key = keyed
    page = chromium.new_page()
    page.goto(f"{address}/?q=quay")
    page.get_by_label("This server needs a key").fill(key)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".hit")).to_have_count(1)
    page.close()


def test_the_axis_has_years_and_no_lone_outlier(page):
    ready(page, "/")
    marks = page.locator("#axis .mark")
    expect(marks.first).to_have_text("2016")  # one note is of 2002
    years = [int(text) for text in marks.all_inner_texts()]
    assert years == sorted(years)
    assert len(years) <= 8


def test_the_axis_goes_out_to_the_outlier_on_demand(page):
    ready(page, f"/?q={WHO}")
    page.get_by_role("button", name="From 2002").click()
    expect(page.locator("#axis .mark").first).to_have_text("2002")
    expect(page.get_by_role("button", name="From 2002")).to_be_hidden()


def test_a_year_is_zoomed_into_and_a_month_chosen(page):
    ready(page, f"/?q={WHO}")
    page.locator("#axis").get_by_role("button", name="2018").click()
    expect(page.locator("#axis .mark").first).to_have_text("Jan 2018")
    page.locator("#axis").get_by_role("button", name="Jan 2018").click()
    expect(page.locator("#told")).to_have_text("31 January 2018")
    expect(answer(page)).to_contain_text("Ebbe Calloway")
    page.locator("#all").click()
    expect(page.locator("#axis .mark").first).to_have_text("2002")


def test_a_moment_before_the_axis_shows_all_years(page):
    ready(page, "/?q=chart&as_of=2003-01-01")
    expect(page.locator("#axis .mark").first).to_have_text("2002")
    expect(page.locator("#told")).to_have_text("1 January 2003")
    expect(page.locator(".hit")).to_have_count(1)


def test_stale_answers_do_not_win(page):
    ready(page, f"/?q={WHO}&as_of=2024-06-01")
    slider = page.locator("#day")
    slider.focus()
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("#status")).to_have_text("10 hits as of 20 May 2024")


def test_the_first_screen_of_a_phone_shows_the_answer(page):
    page.set_viewport_size({"width": 390, "height": 700})
    ready(page, VIEWS["search"])
    quote = answer(page).locator(".quote").first
    expect(quote).to_contain_text("Runa Osterby")
    box = quote.bounding_box()
    assert box is not None
    assert box["y"] + 60 < 700
    expect(page.get_by_role("button", name="Search")).to_be_visible()


@pytest.mark.parametrize("width", [390, 800, 1440])
@pytest.mark.parametrize("view", VIEWS)
def test_no_view_scrolls_sideways(page, view, width):
    page.set_viewport_size({"width": width, "height": 900})
    ready(page, VIEWS[view])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(page, axe, view, scheme):
    page.emulate_media(color_scheme=scheme)
    ready(page, VIEWS[view])
    page.evaluate(axe)
    run = "axe.run().then(done => done.violations.map(each => [each.id, each.nodes[0].html]))"
    assert page.evaluate(run) == []


def test_screenshots(page):
    """Pictures of the views for the documentation, where ASOF_SCREENSHOTS names a folder."""
    folder = os.environ.get("ASOF_SCREENSHOTS")
    for view, address in VIEWS.items():
        ready(page, address)
        picture = page.screenshot()
        assert len(picture) > 5_000, view
        if folder:
            Path(folder, f"{view}.png").write_bytes(picture)
