// What is wrong with an iCalendar file, in the language of the page. Pure.
import type { CalendarProblem } from "#client/resources.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { serverTexts } from "#web/i18n/server-texts.ts";

const german = serverTexts({
  "an iCalendar text has at most {count} lines": "eine iCalendar-Datei hat höchstens {count} Zeilen",
  "this is no line of iCalendar: NAME:value": "das ist keine Zeile von iCalendar: NAME:Wert",
  "an iCalendar text begins with BEGIN:VCALENDAR": "eine iCalendar-Datei beginnt mit BEGIN:VCALENDAR",
  "components are nested more than {count} deep": "Komponenten sind mehr als {count} tief verschachtelt",
  "nothing is open here": "hier ist nichts offen",
  "END:{name} is missing; line {line} begins it": "END:{name} fehlt; Zeile {line} beginnt es",
  "this line is outside of BEGIN:VCALENDAR and END:VCALENDAR":
    "diese Zeile steht außerhalb von BEGIN:VCALENDAR und END:VCALENDAR",
  "BEGIN:{name} has no END": "BEGIN:{name} hat kein END",
  "a calendar has at most {count} entries": "ein Kalender hat höchstens {count} Einträge",
  "a calendar has at most {count} VTIMEZONE": "ein Kalender hat höchstens {count} VTIMEZONE",
  "times of a calendar are in at most {count} time zones":
    "Zeiten eines Kalenders liegen in höchstens {count} Zeitzonen",
  "a calendar has at most {count} dates in RDATE and EXDATE":
    "ein Kalender hat höchstens {count} Tage in RDATE und EXDATE",
  "a calendar has at most {count} entries that recur":
    "ein Kalender hat höchstens {count} Einträge, die sich wiederholen",
  "RECURRENCE-ID with RANGE is not supported; give each entry its own":
    "RECURRENCE-ID mit RANGE geht nicht; geben Sie jedem Eintrag eine eigene",
  "EXRULE is not supported; use EXDATE": "EXRULE geht nicht; nehmen Sie EXDATE",
  "the entry has no DTSTART": "der Eintrag hat kein DTSTART",
  "the entry has DTEND and DURATION; it may have one of them":
    "der Eintrag hat DTEND und DURATION; er darf eines davon haben",
  "DURATION must be a length such as PT8H or P1D": "DURATION muss eine Dauer wie PT8H oder P1D sein",
  "DTSTART and DTEND must both be dates, or both be times":
    "DTSTART und DTEND müssen beide Tage oder beide Zeiten sein",
  "the entry ends before it begins": "der Eintrag endet, bevor er beginnt",
  "{text} is no period": "{text} ist kein Zeitraum",
  "{text} is no date such as 20261224 and no time such as 20261224T180000":
    "{text} ist kein Tag wie 20261224 und keine Zeit wie 20261224T180000",
  "the year of {text} is not between {from} and {to}": "das Jahr von {text} liegt nicht zwischen {from} und {to}",
  "{text} does not exist": "{text} gibt es nicht",
  "UNTIL: {text} does not exist": "UNTIL: {text} gibt es nicht",
  "UNTIL: {text} is no date such as 20261224 and no time such as 20261224T180000":
    "UNTIL: {text} ist kein Tag wie 20261224 und keine Zeit wie 20261224T180000",
  "the entry has two RRULE; it may have one": "der Eintrag hat zwei RRULE; er darf eine haben",
  "an entry with FREQ={frequency} lasts at most {count} days":
    "ein Eintrag mit FREQ={frequency} dauert höchstens {count} Tage",
  "entries that recur begin at most {count} times on one day":
    "Einträge, die sich wiederholen, beginnen höchstens {count}-mal an einem Tag",
  "the entries that recur take too long to work out; use fewer of them, or shorter ones":
    "die Einträge, die sich wiederholen, brauchen zu lange; nehmen Sie weniger oder kürzere",
  "COUNT takes too long to work out; use UNTIL": "COUNT braucht zu lange; nehmen Sie UNTIL",
  "RRULE has no part {name}": "RRULE hat keinen Teil {name}",
  "RRULE has {name} twice": "RRULE hat {name} zweimal",
  "RRULE begins more than {count} times a day": "RRULE beginnt mehr als {count}-mal am Tag",
  "RRULE has COUNT and UNTIL; it may have one of them": "RRULE hat COUNT und UNTIL; sie darf eines davon haben",
  "{name} goes with FREQ=YEARLY alone": "{name} geht nur mit FREQ=YEARLY",
  "RRULE has no FREQ": "RRULE hat kein FREQ",
  "FREQ={given} is not supported: entries begin at most {count} times a day, by FREQ=DAILY and BYHOUR":
    "FREQ={given} geht nicht: Einträge beginnen höchstens {count}-mal am Tag, mit FREQ=DAILY und BYHOUR",
  "FREQ must be one of {choices}, not {given}": "FREQ muss eines von {choices} sein, nicht {given}",
  "{name} must be a whole number from 1 to {most}": "{name} muss eine ganze Zahl von 1 bis {most} sein",
  "{name} must be numbers from {least} to {most}": "{name} muss aus Zahlen von {least} bis {most} bestehen",
  "{name} must be numbers from {least} to {most}, or from the end with a minus":
    "{name} muss aus Zahlen von {least} bis {most} bestehen, vom Ende her mit einem Minus",
  "BYDAY must be weekdays such as MO,TU or, of a month or year, 1MO or -1FR":
    "BYDAY muss aus Wochentagen wie MO,TU bestehen oder, in Monat oder Jahr, aus 1MO oder -1FR",
  "BYDAY with a number goes with FREQ=MONTHLY and FREQ=YEARLY alone":
    "BYDAY mit einer Zahl geht nur mit FREQ=MONTHLY und FREQ=YEARLY",
  "WKST must be a weekday such as MO": "WKST muss ein Wochentag wie MO sein",
  "the time zone {zone} is unknown; names such as Europe/Berlin are known":
    "die Zeitzone {zone} ist unbekannt; bekannt sind Namen wie Europe/Berlin",
  "UNTIL: the year of {text} is not between {from} and {to}":
    "UNTIL: das Jahr von {text} liegt nicht zwischen {from} und {to}",
});

/** Without the line, which stands before it. */
export function problemText({ message }: Pick<CalendarProblem, "message">, locale: Locale): string {
  const text = message.replace(/^line \d+: /, "");
  return locale === "en" ? text : german(text);
}
