import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    title: "Changes of joined sites",
    intro:
      "A gateway applies the changes of its sites. Changes that are requested in the cloud wait here while the gateway is offline.",
    states: "State",
    PENDING: "pending",
    DONE: "applied",
    REFUSED: "refused",
    OVERRULED: "overruled",
    WITHDRAWN: "withdrawn",
    site: "Site",
    allSites: "All sites",
    none: "No changes were requested",
    noneText:
      "In a cloud, changes of joined sites are listed here with their outcome. A gateway applies its own changes at once.",
    noneFound: "No change fits",
    clear: "Show all",
    change: "Change",
    target: "Site and device",
    state: "State",
    asked: "Requested",
    by: (name: string) => `by ${name}`,
    settled: "Settled",
    waits: "the gateway has not answered yet",
    overruledBy: (fields: string) => `Changed on the gateway in the meantime; the gateway's value stays: ${fields}`,
    withdraw: "Withdraw",
    withdrawOne: (action: string) => `Withdraw: ${action}`,
    withdrawQuestion: "Withdraw the change?",
    withdrawText:
      "The gateway will not receive it any more. If it received the change before the connection was lost, it may have applied it already.",
    withdrawn: "The change was withdrawn.",
    waitsFor: (gateway: string | undefined) =>
      `The change waits for ${gateway === undefined ? "the gateway of the site" : `gateway ${gateway}`}.`,
    where: "System > Changes",
    changesWait: (count: number, gateway: string | undefined) =>
      `${count === 1 ? "1 change waits" : `${count} changes wait`} for ${gateway === undefined ? "the gateway" : `gateway ${gateway}`}:`,
    notMade: (count: number) =>
      count === 1
        ? "1 change of the last week was not applied."
        : `${count} changes of the last week were not applied.`,
    onlyDevice: (name: string) => `Only changes of ${name}`,
    gone: "no longer there",
    shown: (from: number, to: number, all: number) => `${from} to ${to} of ${all}`,
    earlier: "Newer",
    later: "Older",
  },
  de: {
    title: "Änderungen beigetretener Standorte",
    intro:
      "Ein Gateway macht die Änderungen seiner Standorte. Was die Cloud verlangt, während es nicht da ist, wartet hier.",
    states: "Zustand",
    PENDING: "wartet",
    DONE: "gemacht",
    REFUSED: "abgelehnt",
    OVERRULED: "überholt",
    WITHDRAWN: "zurückgezogen",
    site: "Standort",
    allSites: "Alle Standorte",
    none: "Keine Änderung wurde verlangt",
    noneText:
      "In einer Cloud stehen hier Änderungen beigetretener Standorte und was aus ihnen wurde. Ein Gateway macht seine Änderungen sofort.",
    noneFound: "Keine Änderung passt",
    clear: "Alle zeigen",
    change: "Änderung",
    target: "Standort und Gerät",
    state: "Zustand",
    asked: "Verlangt",
    by: (name) => `von ${name}`,
    settled: "Erledigt",
    waits: "das Gateway hat noch nicht geantwortet",
    overruledBy: (fields) => `Inzwischen am Gateway geändert, und das bleibt: ${fields}`,
    withdraw: "Zurückziehen",
    withdrawOne: (action) => `Zurückziehen: ${action}`,
    withdrawQuestion: "Die Änderung zurückziehen?",
    withdrawText:
      "Das Gateway wird nicht mehr darum gebeten. Hat es sie bekommen, bevor die Leitung unterbrochen war, kann sie schon gemacht sein.",
    withdrawn: "Die Änderung wurde zurückgezogen.",
    waitsFor: (gateway) =>
      `Die Änderung wartet auf ${gateway === undefined ? "das Gateway des Standorts" : `das Gateway ${gateway}`}.`,
    where: "System > Änderungen",
    changesWait: (count, gateway) =>
      `${count === 1 ? "1 Änderung wartet" : `${count} Änderungen warten`} auf das Gateway${gateway === undefined ? "" : ` ${gateway}`}:`,
    notMade: (count) =>
      count === 1
        ? "1 Änderung der letzten Woche wurde nicht gemacht."
        : `${count} Änderungen der letzten Woche wurden nicht gemacht.`,
    onlyDevice: (name) => `Nur Änderungen von ${name}`,
    gone: "gibt es nicht mehr",
    shown: (from, to, all) => `${from} bis ${to} von ${all}`,
    earlier: "Neuere",
    later: "Ältere",
  },
});
