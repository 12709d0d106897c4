// What the service says of runs, in the language of the page. A text of a rule's own stays as it is.
import { type PhraseValues, phraseOf, RUN_PHRASES, type RunPhrase } from "#core/rule/run-phrases.ts";
import type { Hours, Locale } from "#web/data/preferences.svelte.ts";
import { formatTime } from "#web/i18n/format.ts";

const GERMAN: { readonly [Phrase in RunPhrase]: string } = {
  became_true: "es wurde wahr",
  true_again: "es ist wahr; was vorher getan wurde, ist unbekannt",
  became_false: "es wurde falsch",
  missed_false: "es war falsch, während die Regel nicht lief",
  is_off: "sie ist aus",
  time_came: "ihre Zeit ist gekommen",
  time_came_else: "ihre Zeit ist gekommen, und die Bedingung ist falsch",
  if_false: "die Bedingung ist falsch",
  if_unknown: "niemand weiß, ob die Bedingung wahr ist",
  calendar_on: "der Kalender {name} ist ein",
  calendar_unknown: "niemand weiß, ob der Kalender {name} ein ist",
  time_missed: "die Zeit wurde verpasst",
  times_missed: "{count} Zeiten wurden verpasst",
  many_times_missed: "mindestens {count} Zeiten wurden verpasst",
  loop: "{count} Regeln haben einander hintereinander gestartet; diese wurde nicht ausgeführt",
  goes_on: "ein früherer Lauf ist noch im Gang",
  full: "{count} Läufe sind schon im Gang oder warten",
  turned: "die Regel ging ein oder aus",
  again: "sie wurde neu gestartet",
  done: "erledigt",
  changed: "die Regel wurde geändert",
  wait: "warten bis {time}",
  execute: "{command} an {device} ausführen",
  notify: "melden: {message}",
  set: "{variable} setzen",
  set_to: "{variable} = {value} setzen",
  claim: "Anspruch auf {control} von {device} erheben",
  claim_value: "Anspruch auf {control} von {device} erheben: {kind} {value}",
  release: "Anspruch auf {control} von {device} beenden",
  release_all: "alle Ansprüche an {device} beenden",
  not_repeated: "nicht wiederholt: {step}",
  unknown_value: "unbekannter Wert: {step}",
  left_out: "ausgelassen: {target}: mehr als {count} in einer Minute",
  script_run: "das Skript wurde gestartet",
  job_due: "eine Aufgabe war fällig",
  trigger_came: "ein Auslöser kam",
  trigger_again: "ein Auslöser kam; seine Funktion wurde vor ihrem Ende abgebrochen und wird noch einmal aufgerufen",
  script_ended: "es ist zu Ende",
  cut: "es wurde abgebrochen: das Gateway oder das Skript endete mittendrin",
  stopped: "die Regel wurde angehalten",
  request: "{method} {server} fragen",
  answered: "{code} nach {ms} ms",
  unanswered: "{problem}, nach {ms} ms",
  nothing: "ohne Ergebnis",
  claimed: "Anspruch erhoben",
  released: "Anspruch beendet",
  was_set: "gesetzt",
  sent: "gesendet",
  reported: "gemeldet",
  log_then: "dann: {step}",
  log_else: "sonst: {step}",
  log_nothing: "nichts wird getan: {step}",
};

/** The clock of the site, and the language. */
type Reader = { readonly locale: Locale; readonly zone: string; readonly hours: Hours };

export function runPhrase(text: string, reader: Reader): string {
  const found = phraseOf(text);
  if (found === undefined) return text;
  const form: string = reader.locale === "de" ? GERMAN[found.phrase] : RUN_PHRASES[found.phrase];
  return form.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueText(found.values, name, reader));
}

/** A line of a log: what a rule writes itself stays as it is, whatever it says. */
export function logPhrase(text: string, reader: Reader): string {
  return phraseOf(text)?.phrase.startsWith("log_") === true ? runPhrase(text, reader) : text;
}

function valueText(values: PhraseValues, name: string, reader: Reader): string {
  const value = values[name] ?? "";
  if (name === "step") return runPhrase(value, reader);
  const at = name === "time" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? `${formatTime(at, "day", reader)}, ${formatTime(at, "seconds", reader)}` : value;
}
