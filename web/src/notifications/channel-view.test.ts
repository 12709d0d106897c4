import { describe, expect, test } from "vitest";
import type { NotificationChannel } from "#client/resources.ts";
import { bodyOf, type ChannelDraft, draftOf, type FormKind, newDraft, problemsOf } from "./channel-view.ts";

const draft = (kind: FormKind, fields: ChannelDraft["fields"], more: Partial<ChannelDraft> = {}): ChannelDraft => ({
  ...newDraft(kind, "en", "long-topic"),
  name: "Anna",
  fields,
  ...more,
});
const MAIL = { to: "a@example.com", from: "b@example.com", host: "mail.example.com", security: "tls" };

describe("what is wrong with a channel is named by its field", () => {
  test.each<[FormKind, ChannelDraft["fields"], boolean, string]>([
    ["mail", {}, false, "to from host"],
    ["mail", MAIL, false, ""],
    ["mail", { ...MAIL, to: "a@b.de, c@d.de", port: "99" }, false, "to port"],
    ["mail", { ...MAIL, username: "u" }, false, "password"],
    ["mail", { ...MAIL, username: "u" }, true, ""],
    ["mail", { ...MAIL, security: "none", username: "u", password: "p" }, false, "security"],
    ["ntfy", { topic: "two words" }, false, "topic"],
    ["ntfy", { topic: "t", server: "ftp://x" }, false, "server"],
    ["ntfy", { topic: "t" }, false, ""],
    ["telegram", { chat: "Anna" }, false, "token chat"],
    ["telegram", { chat: "-12" }, true, ""],
    ["webhook", { url: "nowhere" }, false, "url"],
  ])("%s %j, with a stored secret: %s", (kind, fields, hasSecret, wrong) => {
    expect([...problemsOf(draft(kind, fields), hasSecret)].sort()).toEqual(wrong.split(" ").filter(Boolean).sort());
  });

  test("a channel has a name", () => {
    expect([...problemsOf(draft("ntfy", { topic: "t" }, { name: " " }), false)]).toEqual(["name"]);
  });
});

test("what is empty is not sent, and quiet hours are those of a calendar", () => {
  expect(bodyOf(draft("mail", { ...MAIL, port: "2525", username: " " }, { quiet: "night", except: "" }))).toEqual({
    ...{ name: "Anna", language: "en", quiet: { calendar: "night" }, mail: { ...MAIL, port: 2525 } },
  });
  expect(bodyOf(draft("ntfy", { topic: "t", server: "" }, { quiet: "night", allowPrivate: true }))).toEqual({
    ...{ name: "Anna", language: "en", quiet: { calendar: "night", except: "error" }, ntfy: { topic: "t" } },
    allow_private: true,
  });
});

test("a stored channel is shown as it is, without its secret", () => {
  const channel = {
    ...{ id: "c", site_id: "s", name: "Phone", kind: "ntfy" as const, language: "de" as const, has_secret: true },
    ...{ quiet: { calendar: "night" }, allow_private: false, created_at: "", updated_at: "" },
    ntfy: { server: "https://ntfy.sh", topic: "t" },
  } satisfies NotificationChannel;
  const shown = draftOf(channel);
  expect(shown).toEqual({
    ...{ name: "Phone", kind: "ntfy", language: "de", quiet: "night", except: "", allowPrivate: false },
    fields: { server: "https://ntfy.sh", topic: "t" },
  });
  expect(bodyOf(shown)).toMatchObject({ ntfy: { server: "https://ntfy.sh", topic: "t" } });
});
