import { CATEGORIES, type Category } from "#core/blueprint/vocabulary.ts";
import { defineMessages } from "./define-messages.ts";

const names = defineMessages({
  en: {
    "battery-systems": "Battery systems",
    control: "Control",
    "data-providers": "Data providers",
    "electric-vehicles": "Electric vehicles",
    electrolysers: "Electrolysers",
    "fuel-cells": "Fuel cells",
    "fuel-generators": "Fuel generators",
    "gas-equipment": "Gas equipment",
    hvac: "Heating and cooling",
    "hydrogen-storage": "Hydrogen storage",
    loads: "Loads",
    networking: "Networking",
    "power-distribution": "Power distribution",
    "power-meters": "Power meters",
    sensors: "Sensors",
    "solar-generators": "Solar generators",
    "water-treatment": "Water treatment",
    "wind-generators": "Wind generators",
    none: "Without category",
  },
  de: {
    "battery-systems": "Batteriesysteme",
    control: "Steuerung",
    "data-providers": "Datenquellen",
    "electric-vehicles": "Elektrofahrzeuge",
    electrolysers: "Elektrolyseure",
    "fuel-cells": "Brennstoffzellen",
    "fuel-generators": "Kraftstoffgeneratoren",
    "gas-equipment": "Gastechnik",
    hvac: "Heizung und Kühlung",
    "hydrogen-storage": "Wasserstoffspeicher",
    loads: "Verbraucher",
    networking: "Netzwerk",
    "power-distribution": "Stromverteilung",
    "power-meters": "Stromzähler",
    sensors: "Sensoren",
    "solar-generators": "Solaranlagen",
    "water-treatment": "Wasseraufbereitung",
    "wind-generators": "Windkraftanlagen",
    none: "Ohne Kategorie",
  },
});

/** A category of manifests in words; an unknown one as it is. */
export function categoryName(category: string | undefined): string {
  if (category === undefined) return names.none;
  const known: Category | undefined = CATEGORIES.find((one) => one === category);
  return known === undefined ? category : names[known];
}
