// What a person chooses about the page. Kept in this browser; it holds no secret.

export const LOCALES = ["en", "de"] as const;
export type Locale = (typeof LOCALES)[number];
/** Half past one is 13:30 or 1:30 pm. */
export type Hours = "24h" | "12h";
export type Theme = "system" | "light" | "dark";
/** Whether times are those of the site or of UTC. */
export type ClockChoice = "site" | "utc";

type Choices = { locale: Locale; theme: Theme; clock: ClockChoice; hours: Hours; siteId: string | undefined };

const KEY = "busbar.preferences";
const choices = $state<Choices>({
  locale: localeOfBrowser(),
  theme: "system",
  clock: "site",
  hours: "24h",
  siteId: undefined,
  ...read(),
});

export const preferences = {
  get locale(): Locale {
    return choices.locale;
  },
  get theme(): Theme {
    return choices.theme;
  },
  get clock(): ClockChoice {
    return choices.clock;
  },
  get hours(): Hours {
    return choices.hours;
  },
  /** The site that was looked at last. */
  get siteId(): string | undefined {
    return choices.siteId;
  },
  choose(change: Partial<Choices>): void {
    Object.assign(choices, change);
    apply();
    try {
      localStorage.setItem(KEY, JSON.stringify(choices));
    } catch {
      // A browser may refuse storage. Then the choice holds until the page is closed.
    }
  },
};

/** The colour of the frame that a phone draws around the page: that of its background. */
const FRAMES = { light: "#f6f7f4", dark: "#0e1210" } as const;

/** Writes the choices that the document itself carries. */
export function apply(): void {
  const root = document.documentElement;
  root.lang = choices.locale;
  if (choices.theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = choices.theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.media.includes("dark") ? "dark" : "light";
    meta.content = FRAMES[choices.theme === "system" ? own : choices.theme];
  }
}

function read(): Partial<Choices> {
  try {
    const given = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    return {
      ...(LOCALES.some((one) => one === given["locale"]) && { locale: given["locale"] as Locale }),
      ...(["system", "light", "dark"].includes(String(given["theme"])) && { theme: given["theme"] as Theme }),
      ...(["site", "utc"].includes(String(given["clock"])) && { clock: given["clock"] as ClockChoice }),
      ...(["24h", "12h"].includes(String(given["hours"])) && { hours: given["hours"] as Hours }),
      ...(typeof given["siteId"] === "string" && { siteId: given["siteId"] }),
    };
  } catch {
    return {};
  }
}

function localeOfBrowser(): Locale {
  const wanted = typeof navigator === "undefined" ? [] : (navigator.languages ?? [navigator.language]);
  return wanted.some((tag) => /^de\b/i.test(tag)) && !/^en\b/i.test(wanted[0] ?? "") ? "de" : "en";
}
