"""Documents, their versions, changes and lists on the page, by clicks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

PIER = "/?view=document&document=pier&as_of=2021-01-01"
KIT = "/?view=document&document=Boat kit"


def ready(page, address):
    page.goto(address)
    expect(page.locator("#status")).not_to_have_text("")


def document(page):
    return page.locator(".document")


# -- a document --------------------------------------------------------------------------------------


def test_a_quote_opens_the_document_with_the_passage_marked(page):
    ready(page, "/?q=who is the harbour master&as_of=2019-06-01")
    page.locator(".answer").get_by_role("link", name="Harbour office notice 2019").first.click()
    expect(page.locator(".document .cited")).to_contain_text("Runa Osterby")
    expect(page.locator("#status")).to_contain_text("as it stood on 1 June 2019")


def test_the_cited_passage_is_marked_and_no_other(page):
    ready(page, "/?q=wash kit with fresh water")
    page.locator(".hit h3 a").first.click()
    expect(page.locator(".document .cited")).to_contain_text("Wash it with fresh water.")
    expect(page.locator(".document .cited")).not_to_contain_text("Keep it dry")


def test_a_passage_that_is_gone_is_said(page):
    ready(page, f"{PIER}&passage=pier%23000000000000")
    expect(page.locator("#content")).to_contain_text("stands no longer in this version")


def test_text_is_rendered(page):
    ready(page, KIT)
    expect(document(page).get_by_role("heading", name="Inventory")).to_be_visible()
    expect(document(page).get_by_role("heading", name="Care")).to_be_visible()
    expect(document(page).locator("ul ul li")).to_have_text(["hemp", "nylon"])
    expect(document(page).locator("table th")).to_have_text(["item", "count"])
    expect(document(page).locator("table td")).to_have_text(["oars", "4", "mole stones", "3"])
    expect(document(page).locator("blockquote")).to_have_text("Keep it dry.")
    expect(document(page).locator("pre")).to_have_text("kit --list")
    expect(document(page).locator("li.box")).to_have_text(["☑ anchor", "☐ flag"])


def test_no_source_of_markdown_is_shown(page):
    ready(page, KIT)
    expect(document(page)).to_contain_text("a drawing")  # an image is named
    for source in ("#", "| ", "```", "[[", "![", "---", "- rope", "> Keep"):
        expect(document(page)).not_to_contain_text(source)


def test_the_title_stands_once(page):
    ready(page, KIT)
    expect(page.get_by_role("heading", name="Boat kit")).to_have_count(1)


def test_a_link_leads_to_the_document_at_the_same_moment(page):
    ready(page, f"{KIT}&as_of=2022-01-01")
    document(page).get_by_role("link", name="The Mole", exact=True).click()
    expect(page.locator("#content h2").first).to_have_text("The mole")
    assert "as_of=2022-01-01" in page.url


def test_a_link_says_its_own_words(page):
    ready(page, KIT)
    document(page).get_by_role("link", name="mole stones").click()
    expect(page.locator("#content h2").first).to_have_text("The mole")


def test_a_link_to_nothing_is_no_link(page):
    ready(page, KIT)
    expect(document(page).locator(".broken")).to_have_text("No such note")
    expect(document(page).get_by_role("link", name="No such note")).to_have_count(0)


def test_an_address_of_the_web_is_a_link_of_its_own(page):
    ready(page, KIT)
    link = document(page).get_by_role("link", name="https://shop.example/boats?id=1", exact=True)
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(link).to_have_attribute("target", "_blank")


def test_documents_that_link_here_are_listed(page):
    ready(page, "/?view=document&document=The Mole")
    linked = page.locator("section", has=page.get_by_role("heading", name="Linked from"))
    linked.get_by_role("link", name="Boat kit").click()
    expect(page.locator("#content h2").first).to_have_text("Boat kit")


def test_tags_and_metadata_are_shown(page):
    ready(page, KIT)
    expect(page.locator("#content")).to_contain_text("status: open")
    page.get_by_role("link", name="#money/boats").click()
    expect(page.locator("#content table")).to_contain_text("Boat kit")


def test_a_note_of_a_vault_opens_in_obsidian(page):
    ready(page, KIT)
    link = page.get_by_role("link", name="In Obsidian")
    expect(link).to_have_attribute("href", "obsidian://open?vault=notes&file=harbour%2FBoat%20kit.md")


def test_the_file_of_a_document_opens(page):
    ready(page, "/?q=what is the rent")
    hit = page.locator(".hit", has_text="300 crowns")
    with page.context.expect_page() as opened:
        hit.get_by_role("link", name="Open the file").click()
    expect(opened.value.locator("body")).to_contain_text("The rent is 300 crowns.")
    assert opened.value.evaluate("document.contentType") == "text/plain"


def test_a_file_is_shown_by_no_other_page(page, served):
    reply = page.request.get(f"{served}/file?document=papers/Lease.md")
    assert reply.status == 200
    assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]


@pytest.mark.parametrize(
    "name", ["", "pier", "../page.toml", "papers/../../etc/passwd", "papers", "papers/none.md", "pier%20"]
)
def test_no_other_file_is_handed_out(page, served, name):
    assert page.request.get(f"{served}/file?document={name}").status == 404


# -- versions ----------------------------------------------------------------------------------------


def test_versions_of_a_document_are_a_strip(page):
    ready(page, PIER)
    expect(page.locator(".strip button")).to_have_count(2)  # not that of 2022
    expect(document(page)).to_contain_text("20 metres")
    page.locator(".strip button").first.click()
    expect(document(page)).to_contain_text("10 metres")


def test_a_version_is_compared_with_an_earlier_one(page):
    ready(page, PIER)
    page.get_by_label("Compare with").select_option(label="1 May 2018")
    expect(page.locator(".diff .removed")).to_have_text("−removed: The pier is 10 metres long.")
    expect(page.locator(".diff .added")).to_have_text("+added: The pier is 20 metres long.")
    expect(page.locator(".diff ins")).to_have_text("20 ")
    expect(page.locator(".diff del")).to_have_text("10 ")


def test_unchanged_lines_are_folded(page):
    ready(page, PIER)
    page.get_by_label("Compare with").select_option(label="1 May 2018")
    # of 13 unchanged lines the first two, next to the change, are shown
    expect(page.locator(".diff summary")).to_have_text("11 unchanged lines")
    expect(page.get_by_text("Plank 7 is of oak.")).to_be_hidden()
    page.locator(".diff summary").click()
    expect(page.get_by_text("Plank 7 is of oak.")).to_be_visible()


def test_versions_side_by_side_and_back(page):
    ready(page, PIER)
    page.get_by_label("Compare with").select_option(label="1 May 2018")
    page.get_by_role("button", name="Side by side").click()
    cells = page.locator(".diff tbody tr").first.locator("td")
    expect(cells).to_have_text(["The pier is 10 metres long.", "The pier is 20 metres long."])
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".diff table")).to_have_count(0)
    page.get_by_label("Compare with").select_option(label="nothing")
    expect(document(page)).to_contain_text("20 metres")


def test_what_is_compared_stands_in_the_address(page):
    ready(page, f"{PIER}&against=2018-05-01T23:59:59.999999Z")
    expect(page.locator(".diff .removed")).to_contain_text("10 metres")


# -- changes, lists, what is out of date -------------------------------------------------------------


def test_changes_since_a_date_with_plus_and_minus(page):
    ready(page, "/?view=changes&as_of=2021-01-01")
    page.get_by_label("Since").fill("2020-04")
    page.get_by_label("About").fill("pier metres long")
    page.get_by_role("button", name="Show", exact=True).click()
    entry = page.locator(".entry", has=page.get_by_role("link", name="pier", exact=True))
    expect(entry.locator(".removed")).to_contain_text("10 metres")
    expect(entry.locator(".added")).to_contain_text("20 metres")
    expect(entry.locator(".meta").first).to_have_text("changed · 1 May 2020")


def test_changes_of_a_time_without_any(page):
    ready(page, "/?view=changes&since=2001&as_of=2001-06-01")
    expect(page.locator("#content")).to_contain_text("Nothing changed in that time.")


def test_documents_by_tag(page):
    ready(page, "/?view=documents")
    page.get_by_label("Tag").fill("kit")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#content tbody tr")).to_have_count(1)
    expect(page.locator("#content tbody")).to_contain_text("4 March 2021")


def test_documents_of_a_folder_and_a_time(page):
    ready(page, "/?view=documents")
    page.get_by_label("Folder or pattern").fill("notes/ferry/*")
    page.get_by_label("Published since").fill("2023")
    page.get_by_role("button", name="Show", exact=True).click()
    rows = page.locator("#content tbody tr")
    expect(rows.first).to_contain_text("2024")
    assert 0 < rows.count() < 12


def test_a_list_is_saved_as_a_table(page):
    ready(page, "/?view=documents&tag=kit")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as CSV").click()
    assert saved.value.suggested_filename == "asof-list.csv"
    head, row = saved.value.path().read_text().splitlines()
    assert "title" in head.split(",")
    assert "Boat kit" in row.split(",")


def test_a_timeline_is_saved_with_the_moment_that_was_asked(page):
    ready(page, "/?view=timeline&q=harbour master&as_of=2020-01-01")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as CSV").click()
    text = saved.value.path().read_text()
    assert "Runa Osterby" in text
    assert "May Hollis" not in text


def test_a_hit_says_which_version_it_is_of(page):
    ready(page, "/?q=how long is the pier&as_of=2021-01-01")
    expect(page.locator(".hit", has_text="20 metres").locator(".meta").first).to_contain_text(
        "version 2 of 2"
    )


def test_a_long_list_goes_on(page):
    ready(page, "/?view=documents")
    expect(page.locator("#content tbody tr")).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("#content tbody tr").nth(60)).to_be_visible()


def test_what_is_out_of_date_names_what_says_so(page):
    ready(page, "/?view=stale")
    entry = page.locator(".entry").first
    expect(entry).to_contain_text("The rent stands in Lease.")
    expect(entry.locator(".status")).to_contain_text("since 1 June 2022")
    entry.get_by_role("link", name="Lease of 2022").click()
    expect(page.locator(".document")).to_contain_text("320 crowns")


# -- facts, reports, the index -----------------------------------------------------------------------


def test_facts_as_bars(page):
    ready(page, "/?view=facts&subject=Runa Osterby")
    expect(page.locator(".track").first).to_have_attribute("aria-label", re.compile("–|since"))
    page.get_by_label("Subject").fill("Nobody Atall")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#content")).to_contain_text("No fact is known of Nobody Atall")
    expect(page.locator("#status")).to_have_text("No facts")


def test_a_report_says_nothing_before_a_time_is_asked(page):
    ready(page, "/?view=reports")
    expect(page.locator("#content li")).to_have_count(0)
    page.get_by_role("link", name="2021", exact=True).click()
    expect(page.get_by_role("heading", name="2021", exact=True)).to_be_visible()


def test_reports_go_down_to_quarters(page):
    ready(page, "/?view=reports&period=2021")
    expect(page.locator("li").first).to_be_visible()
    page.get_by_role("link", name="2021-Q2").click()
    expect(page.locator("#content")).to_contain_text("April Dunmore")


@pytest.mark.parametrize("address", ["/?view=reports&period=2021", "/?view=facts&subject=May Hollis"])
def test_facts_and_reports_print_no_addresses(page, address):
    ready(page, address)
    expect(page.locator("#content section").first).to_be_visible()
    for source in ("notes/", ".md", "http", "T00:00"):
        expect(page.locator("#content")).not_to_contain_text(source)


def test_the_overview(page):
    ready(page, "/?view=overview")
    expect(page.locator("#content")).to_contain_text("frontmatter")
    expect(page.locator("#content")).to_contain_text("folder · 107 documents · vault notes")


@pytest.mark.parametrize(
    "address",
    [
        "/?q=ferry fares",
        "/?view=timeline&q=ferry fares",
        "/?view=documents",
        "/?view=changes&since=2020",
        KIT,
    ],
)
def test_dates_are_written_as_people_do(page, address):
    ready(page, address)
    expect(page.locator("#content a").first).to_be_visible()
    instants = r"\d{4}-\d{2}-\d{2}T|\d{2}:59:59"
    assert not re.search(instants, page.locator("#content").inner_text())
