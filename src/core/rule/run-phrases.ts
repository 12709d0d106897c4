// What traces say, each sentence once. They are stored in English; a page in another language finds a sentence again by its form.

export const RUN_PHRASES = {
  became_true: "it became true",
  true_again: "it is true; what was done before is unknown",
  became_false: "it became false",
  missed_false: "it was false while the rule was not running",
  is_off: "it is off",
  time_came: "its time has come",
  time_came_else: "its time has come, and `if` is false",
  if_false: "`if` is false",
  if_unknown: "nobody knows whether `if` is true",
  calendar_on: "the calendar {name} is on",
  calendar_unknown: "nobody knows whether the calendar {name} is on",
  time_missed: "the time was missed",
  times_missed: "{count} times were missed",
  many_times_missed: "at least {count} times were missed",
  loop: "{count} rules have started each other in a row; this one was not run",
  goes_on: "an earlier run goes on",
  full: "{count} runs go on or wait already",
  turned: "the rule turned on or off",
  again: "it was started again",
  done: "done",
  changed: "the rule was changed",
  wait: "wait until {time}",
  execute: "execute {command} of {device}",
  notify: "notify: {message}",
  set: "set {variable}",
  set_to: "set {variable} = {value}",
  claim: "claim {control} of {device}",
  claim_value: "claim {control} of {device}: {kind} {value}",
  release: "release {control} of {device}",
  release_all: "release all controls of {device}",
  not_repeated: "not repeated: {step}",
  unknown_value: "unknown value: {step}",
  left_out: "left out: {target}: more than {count} in a minute",
  script_run: "the script was run",
  job_due: "a job was due",
  trigger_came: "a trigger came",
  trigger_again: "a trigger came; its function was cut before it ended, and is called again",
  script_ended: "it ended",
  cut: "it was cut: the gateway or the script ended in the middle of it",
  stopped: "the rule was stopped",
  request: "ask {method} {server}",
  answered: "{code} after {ms} ms",
  unanswered: "{problem}, after {ms} ms",
  nothing: "nothing came of it",
  claimed: "claimed",
  released: "released",
  was_set: "set",
  sent: "sent",
  reported: "reported",
  log_then: "then: {step}",
  log_else: "else: {step}",
  log_nothing: "nothing is done: {step}",
} as const;

export type RunPhrase = keyof typeof RUN_PHRASES;
export type PhraseValues = Readonly<Record<string, string>>;

export function say(phrase: RunPhrase, values: Readonly<Record<string, string | number>> = {}): string {
  return RUN_PHRASES[phrase].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

/** The more a sentence says itself, the earlier it is tried: `release all controls of x` names no control `all controls`. */
const FORMS = (Object.entries(RUN_PHRASES) as readonly (readonly [RunPhrase, string])[])
  .map(([phrase, text]) => {
    const own = text.replaceAll(/\{\w+\}/g, "");
    const form = text.replaceAll(/[.*+?^$()[\]\\|]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>.+?)");
    return { phrase, length: own.length, form: new RegExp(`^${form}$`, "s") };
  })
  .toSorted((one, other) => other.length - one.length);

const LONGEST = 1_000;

/** Which sentence a text is, and with which values; undefined: it is somebody's own. */
export function phraseOf(text: string): { readonly phrase: RunPhrase; readonly values: PhraseValues } | undefined {
  if (text.length > LONGEST) return undefined;
  for (const { phrase, form } of FORMS) {
    const found = form.exec(text);
    if (found !== null) return { phrase, values: { ...found.groups } };
  }
  return undefined;
}
