// Calendars on the page: a week is drawn with the mouse, a thumb and the keyboard, holidays come from a file, and before one is
// deleted people see what uses it.
import type { Page as Tab } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import type { Calendar } from "#client/resources.ts";
import { type CommandSite, makeCommandSite } from "../support/command-site.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { ON_PHONE, wrongIn } from "./support/looks.ts";
import { smallTargets } from "./support/measure.ts";
import { boxOf, lacks } from "./support/seen.ts";

const LONG = 4 * PATIENCE;
const DAY = 1_440;
const entry = (...lines: readonly string[]) =>
  ["BEGIN:VEVENT", "UID:1@test", "SUMMARY:Founders' day", ...lines, "END:VEVENT"].join("\r\n");
const file = (...entries: readonly string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", ...entries, "END:VCALENDAR", ""].join("\r\n");

inBrowser("calendars", calendars);

function calendars(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  let yard: CommandSite;
  let site = "";
  let base = "";

  beforeAll(async () => {
    yard = await makeCommandSite(busbar, "Yard");
    site = yard.siteId;
    await busbar.admin.patch(`/v3/sites/${site}`, { timezone: "Europe/Berlin" });
    base = `/v3/sites/${site}/calendars`;
  });

  const read = async (name: string) =>
    (await busbar.admin.get<{ calendar: Calendar }>(`${base}/${name}`)).body.calendar;
  const put = async (name: string, body: object) =>
    expect((await busbar.admin.put(`${base}/${name}`, body)).status).toBe(200);
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: PATIENCE, interval: 100 });
  /** Where a time of a day is on the screen. */
  async function place(page: Tab, day: number, clock: string) {
    const track = page.locator(`[data-day="${day}"]`);
    await track.scrollIntoViewIfNeeded();
    const box = await boxOf(track);
    const minute = Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
    return { x: box.x + (box.width * minute) / DAY, y: box.y + box.height / 2 };
  }
  async function drag(page: Tab, [day, from]: readonly [number, string], [toDay, to]: readonly [number, string]) {
    const start = await place(page, day, from);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    const end = await place(page, toDay, to);
    await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
    await page.mouse.move(end.x, end.y);
    await page.mouse.up();
  }
  /** A finger, as the browser hears of it. */
  async function swipe(page: Tab, from: { x: number; y: number }, to: { x: number; y: number }) {
    const session = await page.context().newCDPSession(page);
    const send = (type: "touchStart" | "touchMove" | "touchEnd", points: readonly { x: number; y: number }[]) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints: [...points] });
    await send("touchStart", [from]);
    for (const part of [0.3, 0.6, 1])
      await send("touchMove", [{ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }]);
    await send("touchEnd", []);
    await session.detach();
  }

  test(
    "a week is drawn with the mouse: drawn, stretched, moved to another day, copied, given a value, stored, and drawn again as stored",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules`);
      await page.getByRole("link", { name: "Calendars" }).click();
      await page.getByText("No calendars yet").waitFor();
      await page.getByRole("button", { name: "Draw a weekly plan" }).click();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("This cannot be a name.").waitFor();
      await page.getByLabel("Name").fill("heating");
      await drag(page, [0, "06:05"], [0, "08:25"]);
      await page.getByRole("button", { name: "Monday, 06:00 to 08:30", exact: true }).waitFor();
      // Its end, then all of it.
      await drag(page, [0, "08:27"], [0, "10:00"]);
      await page.getByRole("button", { name: "Monday, 06:00 to 10:00", exact: true }).waitFor();
      await drag(page, [0, "08:00"], [2, "09:00"]);
      await page.getByRole("button", { name: "Wednesday, 07:00 to 11:00", exact: true }).waitFor();
      await page.getByLabel("What holds during a range").selectOption("number");
      const ranges = page.locator("[data-ranges=wed]");
      await ranges.getByLabel("Value").fill("warm");
      await ranges.getByText("This is no number.").waitFor();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("Correct the range first.").waitFor();
      await ranges.getByLabel("Value").fill("21,5");
      await page.getByRole("button", { name: "Copy to Monday to Friday" }).click();
      await page.getByRole("button", { name: "Friday, 07:00 to 11:00, 21.5" }).waitFor();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "heating" }).waitFor();
      const work = [{ from: "07:00", to: "11:00", value: 21.5 }];
      const plan = { mon: work, tue: work, wed: work, thu: work, fri: work, sat: [], sun: [] };
      expect(await read("heating")).toMatchObject({ kind: "weekly", plan, except: [] });
      await page.getByRole("button", { name: "Friday, 07:00 to 11:00, 21.5" }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "by the keyboard alone a range is added, moved, stretched, typed over midnight and removed; what overlaps is said and not stored",
    async () => {
      await put("night", { kind: "weekly", plan: { tue: [{ from: "08:00", to: "10:00" }] } });
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/calendars/night`);
      const range = (name: string) => page.getByRole("button", { name, exact: true });
      await range("Tuesday, 08:00 to 10:00").focus();
      await page.keyboard.press("ArrowRight");
      await range("Tuesday, 08:15 to 10:15").waitFor();
      await page.keyboard.press("Shift+ArrowLeft");
      await range("Tuesday, 08:15 to 10:00").waitFor();
      await page.keyboard.press("ArrowDown");
      await range("Wednesday, 08:15 to 10:00").waitFor();
      // The range keeps the focus where it goes.
      await expect
        .poll(() => page.evaluate("document.activeElement?.getAttribute('aria-label')"))
        .toBe("Wednesday, 08:15 to 10:00");
      await page.keyboard.press("Enter");
      const ranges = page.locator("[data-ranges=wed]");
      await expect.poll(() => page.evaluate("document.activeElement?.type")).toBe("time");
      await ranges.getByLabel("From").fill("22:00");
      await ranges.getByLabel("To", { exact: true }).fill("06:00");
      await range("Wednesday, 22:00 to 06:00").waitFor();
      await page.getByRole("button", { name: "Thursday", exact: true }).press("Enter");
      await page.locator("[data-ranges=thu]").getByRole("button", { name: "Add a range" }).press("Enter");
      const thursday = page.locator("[data-ranges=thu]");
      await thursday.getByLabel("From").fill("05:00");
      await thursday.getByText("It overlaps another range.").waitFor();
      await page.getByRole("button", { name: "Save" }).press("Enter");
      await page.getByText("2 ranges have to be put right first.").waitFor();
      await thursday.getByRole("button", { name: /^Remove/ }).press("Enter");
      await page.getByRole("button", { name: "Save" }).press("Enter");
      await eventually(async () =>
        expect((await read("night")).plan).toMatchObject({ tue: [], wed: [{ from: "22:00", to: "06:00" }], thu: [] }),
      );
      await page.getByText("night is saved.", { exact: false }).waitFor();
      await range("Wednesday, 22:00 to 06:00").focus();
      await page.keyboard.press("Delete");
      await expect.poll(() => range("Wednesday, 22:00 to 06:00").count()).toBe(0);
      await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toContain("Wednesday");
      await page.getByRole("button", { name: "Discard changes" }).press("Enter");
      await range("Wednesday, 22:00 to 06:00").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a thumb draws along a day, scrolls across the days without changing anything, and opens a day by a tap",
    async () => {
      await put("thumb", { kind: "weekly", plan: { sat: [{ from: "08:00", to: "20:00" }] } });
      const visitor = await world.signedIn({ width: 390, locale: "de-DE" });
      const { page } = visitor;
      await visitor.go(`/sites/${site}/calendars/thumb`);
      await page.locator("[data-day='1']").scrollIntoViewIfNeeded();
      await swipe(page, await place(page, 1, "06:00"), await place(page, 1, "09:00"));
      await page.getByRole("button", { name: "Dienstag, 06:00 bis 09:00", exact: true }).waitFor();
      const before = await page.evaluate<number>("scrollY");
      const from = await place(page, 5, "12:00");
      await swipe(page, from, { x: from.x + 4, y: from.y - 250 });
      await expect.poll(() => page.evaluate<number>("scrollY")).not.toBe(before);
      await expect
        .poll(() => page.getByRole("button", { name: "Samstag, 08:00 bis 20:00", exact: true }).count())
        .toBe(1);
      const tapped = await place(page, 5, "12:00");
      await swipe(page, tapped, tapped);
      await page.locator("[data-ranges=sat]").waitFor();
      expect(await smallTargets(page)).toEqual([]);
      await page.getByRole("button", { name: "Speichern" }).click();
      await eventually(async () =>
        expect((await read("thumb")).plan).toMatchObject({
          tue: [{ from: "06:00", to: "09:00" }],
          sat: [{ from: "08:00", to: "20:00" }],
        }),
      );
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a file with mistakes names their lines and is not stored; a good one is shown before it is, and becomes an exception",
    async () => {
      await put("open", { kind: "weekly", plan: { mon: [{ from: "00:00", to: "24:00" }] } });
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/calendars?new=ical`);
      await page.getByLabel("Name").fill("holidays");
      const choose = (text: string) =>
        page
          .getByLabel("iCalendar file *")
          .setInputFiles({ name: "h.ics", mimeType: "text/calendar", buffer: Buffer.from(text) });
      await choose(
        file(entry("DTSTART;VALUE=DATE:20260231"), entry("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=SOMETIMES")),
      );
      await page.getByText("The file has 2 mistakes:").waitFor();
      await page.getByText("line 7:").waitFor();
      await page.getByText("line 13:").waitFor();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("Choose a file.").waitFor();
      expect((await busbar.admin.get(`${base}/holidays`)).status).toBe(404);
      await choose("x".repeat(262_145));
      await page.getByText("The file has more than 256 KiB.").waitFor();
      await choose(file(entry("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY")));
      await page.getByText("The file can be read. The calendar is on next:").waitFor();
      await page.getByText("Founders' day").first().waitFor();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "holidays" }).waitFor();
      expect(await read("holidays")).toMatchObject({ kind: "ical" });

      await visitor.go(`/sites/${site}/calendars/open`);
      await page.getByRole("checkbox", { name: "holidays" }).check();
      await page.getByRole("button", { name: "Save" }).click();
      await eventually(async () => expect((await read("open")).except).toEqual(["holidays"]));
      await visitor.go(`/sites/${site}/calendars/holidays`);
      await page.getByText("It cannot be deleted while it is an exception of open.").waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "before a calendar is deleted people see which rules and schedules ask it; two people who change one lose nothing",
    async () => {
      await put("asked", { kind: "weekly", plan: { mon: [{ from: "08:00", to: "10:00" }] } });
      const rule = async (slug: string, language: "yaml" | "lua", text: string) => {
        const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3", language };
        const made = await busbar.admin.post(`/v3/sites/${site}/rule_engine/rules`, { slug, script, disable: true });
        expect([slug, made.status]).toEqual([slug, 200]);
      };
      await rule("in-yaml", "yaml", "name: In YAML\nwhen: { calendar: asked }\nthen: { notify: x }\n");
      await rule("in-lua", "lua", 'enapter.log(tostring(calendar.now("asked").on))\n');
      await rule("not", "yaml", "name: Not at all\nwhen: { every: 1h }\nthen: { notify: asked }\n");
      const schedule = {
        ...{ name: "Each morning", cron: "0 7 * * *", except: ["asked"] },
        bulk: { name: "stop", devices: { device_ids: [await yard.device("blinds")] } },
      };
      const made = await busbar.admin.post("/v3/commands/schedules", schedule);
      expect([made.status, made.body]).toEqual([200, expect.anything()]);
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/calendars/asked`);
      const main = page.locator("main");
      await main.getByRole("link", { name: "In YAML" }).waitFor();
      await main.getByRole("link", { name: "in-lua" }).waitFor();
      await main.getByRole("link", { name: "Each morning" }).waitFor();
      // Both rules came with one answer.
      await lacks(main.getByRole("link", { name: "Not at all" }), main.getByRole("link", { name: "in-lua" }));

      await page.getByRole("button", { name: "Monday, 08:00 to 10:00", exact: true }).press("ArrowRight");
      await put("asked", { kind: "weekly", plan: { tue: [{ from: "01:00", to: "02:00" }] } });
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Somebody else has changed the calendar meanwhile.", { exact: false }).waitFor();
      await page.getByRole("button", { name: "Monday, 08:15 to 10:15", exact: true }).waitFor();
      expect((await read("asked")).plan).toMatchObject({ mon: [], tue: [{ from: "01:00", to: "02:00" }] });
      await page.getByRole("button", { name: "Discard changes" }).click();
      await page.getByRole("button", { name: "Tuesday, 01:00 to 02:00", exact: true }).waitFor();

      await page.getByRole("button", { name: "Delete" }).click();
      const question = page.getByRole("dialog");
      await question.getByRole("link", { name: "In YAML" }).waitFor();
      await question.getByRole("button", { name: "Delete" }).click();
      await page.getByText("asked is deleted.").waitFor();
      expect((await busbar.admin.get(`${base}/asked`)).status).toBe(404);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "who may only look sees the week in words and is offered nothing; a calendar whose exception cannot be read says that nobody knows",
    async () => {
      await put("seen", { kind: "weekly", plan: { mon: [{ from: "06:00", to: "08:00", value: 21 }] } });
      const visitor = await world.signedIn({}, await busbar.token({ level: "readonly" }));
      const { page } = visitor;
      for (const path of ["calendars?new=weekly", "calendars/seen"]) {
        await visitor.go(`/sites/${site}/${path}`);
        const offered = /^(?:Save|Delete|Create|Add|Draw|Import|Discard)/;
        await lacks(
          page.locator("main").getByRole("button", { name: offered }),
          page.getByText("Needs access level owner; yours is readonly."),
        );
      }
      await page.getByRole("img", { name: "Monday, 06:00 to 08:00, 21" }).waitFor();
      await page.getByRole("img", { name: "Tuesday: off all day" }).waitFor();
      await visitor.go(`/sites/${site}/calendars/none`);
      await page.getByText("There is no such calendar").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test.each(ON_PHONE)(
    "axe finds nothing on a plan with values and a mistake, and on a file, at $width px, $scheme, $locale",
    async ({ width, scheme, locale }) => {
      const night = { from: "22:00", to: "06:00", value: true };
      await put("look", {
        kind: "weekly",
        plan: { mon: [{ from: "06:00", to: "08:00", value: false }], sun: [night] },
      });
      await put("look-file", {
        kind: "ical",
        text: file(entry("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY")),
        except: ["look"],
      });
      const visitor = await world.signedIn({ width, scheme, locale, bypassCSP: true });
      const { page } = visitor;
      const found: unknown[] = [];
      const look = async (name: string) => {
        found.push(...(await wrongIn(visitor)).map((one) => [name, one]));
        if (width === 390) found.push(...(await smallTargets(page)).map((one) => [name, one]));
      };
      await visitor.go(`/sites/${site}/calendars`);
      await look("list");
      await visitor.go(`/sites/${site}/calendars/look`);
      // From Sunday night into Monday's range.
      await page.locator("[data-name='6']").click();
      await page.locator("[data-ranges=sun] input[type=time]").last().fill("07:00");
      await page.locator("[data-ranges=sun] .error").waitFor();
      await look("plan");
      if (locale === "de-DE") {
        await visitor.go(`/sites/${site}/calendars?new=ical`);
        const wrong = {
          name: "h.ics",
          mimeType: "text/calendar",
          buffer: Buffer.from(file(entry("DTSTART:20260231T000000"))),
        };
        await page.locator("input[type=file]").setInputFiles(wrong);
        await page.getByText("gibt es nicht").waitFor();
        await page.getByText("Zeile 7:").waitFor();
        await look("file with a mistake");
      }
      await visitor.go(`/sites/${site}/calendars/look-file`);
      await look("file");
      expect(found).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
