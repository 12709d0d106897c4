// Ready controllers in German, by what the service says: a text of another version that is not here stays English.
// One file with nothing but texts, loaded with the forms of controllers.
export const CONTROLLER_GERMAN: Readonly<Record<string, string>> = {
  "Surplus charging": "Überschussladen",
  "A car charges with what the sun gives and nobody else takes. It pauses when there is too little, and may charge slowly from the grid at night, so that it is ready in the morning.":
    "Ein Auto lädt mit dem, was die Sonne gibt und sonst niemand braucht. Reicht es nicht, pausiert es; nachts darf es langsam aus dem Netz laden, damit es morgens bereit ist.",
  "Grid meter": "Netzzähler",
  "The meter at the connection to the grid, by its id or slug.": "Der Zähler am Netzanschluss.",
  "Power of the grid": "Leistung am Netz",
  "Its telemetry attribute with the power in W, positive while the site takes from the grid.":
    "Sein Messwert der Leistung in W, positiv beim Bezug aus dem Netz.",
  Charger: "Ladestation",
  "The charger, by its id or slug. Zero on its control has to pause it.":
    "Die Ladestation. Null an ihrer Steuerung muss sie anhalten.",
  "Charging power": "Ladeleistung",
  "Its telemetry attribute with the power in W.": "Der Messwert der Leistung in W.",
  "Control of the charger": "Steuerung der Ladestation",
  "Its control for the current in A, or for the power in W.":
    "Ihre Steuerung für den Strom in A oder die Leistung in W.",
  Phases: "Phasen",
  "On how many phases it runs. Only for a control in A, to know what an ampere is in W at 230 V.":
    "Auf wie vielen Phasen das Gerät läuft. Nur für eine Steuerung in A: damit klar ist, wie viel W ein Ampere bei 230 V ist.",
  "Least power": "Kleinste Leistung",
  "The car charges with at least this. Three phases need 4,140 W.":
    "Das Auto lädt mindestens damit. Drei Phasen brauchen 4.140 W.",
  "Most power": "Größte Leistung",
  "The car charges with at most this.": "Das Auto lädt höchstens damit.",
  Battery: "Batterie",
  "If there is one, what it charges counts as surplus, and what it discharges does not. By its id or slug.":
    "Falls es eine gibt: Was sie lädt, zählt als Überschuss, was sie abgibt, nicht.",
  "Power of the battery": "Leistung der Batterie",
  "Its telemetry attribute with the power in W, positive while it discharges.":
    "Ihr Messwert der Leistung in W, positiv beim Entladen.",
  "Charge of the battery": "Ladestand der Batterie",
  "Its telemetry attribute with the charge in %.": "Ihr Messwert des Ladestands in %.",
  "Battery first up to": "Zuerst die Batterie bis",
  "It waits until the battery has this charge. Without it, the battery gets what is left over.":
    "Gewartet wird, bis die Batterie diesen Ladestand hat. Ohne Angabe bekommt die Batterie, was übrig bleibt.",
  "From the grid": "Aus dem Netz",
  "It goes on with the least power while no more than this is missing.":
    "Mit der kleinsten Leistung geht es weiter, solange nicht mehr als das fehlt.",
  "At night from": "Nachts ab",
  "From this time on the car charges with the least power, whatever the sun does.":
    "Ab dieser Zeit lädt das Auto mit der kleinsten Leistung, was die Sonne auch tut.",
  "At night until": "Nachts bis",
  "Until this time.": "Bis zu dieser Zeit.",
  "Starts after": "Beginnt nach",
  "There has to be enough surplus for so long.": "So lange muss der Überschuss reichen.",
  "Shortest charging": "Kürzestes Laden",
  "Once it charges, it does so for so long.": "Hat das Laden begonnen, dauert es mindestens so lange.",
  "Shortest pause": "Kürzeste Pause",
  "Once it pauses, it does so for so long.": "Hat eine Pause begonnen, dauert sie mindestens so lange.",
  "Self-consumption": "Eigenverbrauch",
  "The battery charges with what is left over and discharges into what is missing, so that the meter stays near a target. For batteries that do not do so by themselves.":
    "Die Batterie lädt mit dem, was übrig ist, und gibt ab, was fehlt, sodass der Zähler nahe an einem Ziel bleibt. Für Batterien, die das nicht von selbst tun.",
  "The battery, by its id or slug.": "Die Batterie.",
  "Control of the battery": "Steuerung der Batterie",
  "Its control for the power in W, positive while it discharges.":
    "Ihre Steuerung für die Leistung in W, positiv beim Entladen.",
  "Target at the meter": "Ziel am Zähler",
  "Where the power at the meter shall be. Slightly positive avoids giving to the grid.":
    "Wo die Leistung am Zähler liegen soll. Leicht positiv vermeidet das Einspeisen.",
  "Most charging": "Größte Ladeleistung",
  "It charges with at most this.": "Sie lädt höchstens damit.",
  "Most discharging": "Größte Entladeleistung",
  "It discharges with at most this.": "Sie entlädt höchstens damit.",
  "Peak limit": "Lastspitzen begrenzen",
  "Keeps the average of each quarter of an hour, for which many grid operators charge, below a limit: it limits up to four devices, such as chargers, to what the window still allows, the least important one first.":
    "Hält das Mittel jeder Viertelstunde, nach dem viele Netzbetreiber abrechnen, unter einer Grenze: Bis zu vier Geräte, etwa Ladestationen, bekommen nur, was das Zeitfenster noch erlaubt, das unwichtigste zuerst.",
  Limit: "Grenze",
  "The average power from the grid that no window may exceed.":
    "Die mittlere Leistung aus dem Netz, die kein Zeitfenster überschreiten darf.",
  Window: "Zeitfenster",
  "The time over which the grid operator takes the average. It begins at the full hour.":
    "Die Zeit, über die der Netzbetreiber mittelt. Sie beginnt zur vollen Stunde.",
  Device: "Gerät",
  "The device that is limited, by its id or slug.": "Das Gerät, das begrenzt wird.",
  "Power of the device": "Leistung des Geräts",
  "Control of the device": "Steuerung des Geräts",
  "What the device takes at most.": "Was das Gerät höchstens aufnimmt.",
  "Without the meter": "Ohne den Zähler",
  "What the device may take while the meter is silent.": "Was das Gerät aufnehmen darf, solange der Zähler schweigt.",
  "Device {n}": "Gerät {n}",
  "One more device, less important than those before: it is limited first. By its id or slug.":
    "Ein weiteres Gerät, weniger wichtig als die vorigen: Es wird zuerst begrenzt.",
  "Power of device {n}": "Leistung von Gerät {n}",
  "Control of device {n}": "Steuerung von Gerät {n}",
  "Most power of device {n}": "Größte Leistung von Gerät {n}",
  "Cheap hours": "Günstige Stunden",
  "Switches something on while energy is cheap: a battery that charges, a boiler, a pump. By the tariff of the site it takes the cheapest hours of a day, or all below a price; a variable of the site can be the price, too.":
    "Schaltet etwas ein, solange Energie günstig ist: eine Batterie, die lädt, einen Boiler, eine Pumpe. Nach dem Tarif des Standorts sind das die günstigsten Stunden eines Tages oder alle unter einem Preis; der Preis kann auch eine Variable des Standorts sein.",
  "The device that runs while energy is cheap, by its id or slug.":
    "Das Gerät, das läuft, solange Energie günstig ist.",
  Control: "Steuerung",
  "Its control.": "Seine Steuerung.",
  Value: "Wert",
  "What the control is set to while energy is cheap. For a battery, negative is charging.":
    "Worauf die Steuerung gestellt wird, solange Energie günstig ist. Bei einer Batterie heißt negativ laden.",
  Prices: "Preise",
  "Where prices come from: the tariff of the site, or a variable that a program sets.":
    "Woher die Preise kommen: aus dem Tarif des Standorts (tariff) oder aus einer Variablen, die ein Programm setzt (variable).",
  "Cheapest hours": "Günstigste Stunden",
  "It runs for so long each day, in the cheapest hours of the tariff. Without it, whenever energy is cheap.":
    "So lange läuft es jeden Tag, in den günstigsten Stunden des Tarifs. Ohne Angabe immer, wenn Energie günstig ist.",
  "Done by": "Fertig bis",
  "The cheapest hours are those of the 24 hours before this time of day.":
    "Die günstigsten Stunden sind die der 24 Stunden vor dieser Uhrzeit.",
  "In one piece": "Am Stück",
  "The cheapest hours follow each other without a break.": "Die günstigsten Stunden folgen ohne Pause aufeinander.",
  "Cheap below": "Günstig unter",
  "Energy is cheap while the price is below this. Together with cheapest hours, both have to be so.":
    "Energie ist günstig, solange der Preis darunter liegt. Zusammen mit günstigsten Stunden muss beides gelten.",
  "The variable of the site with the price of now. Only without the tariff.":
    "Die Variable des Standorts mit dem Preis von jetzt. Nur ohne den Tarif.",
  "Shortest time on": "Kürzeste Zeit ein",
  "Once on, it stays on for so long.": "Einmal ein, bleibt es so lange ein.",
  "Pool or heater by sun": "Pool oder Heizung mit Sonne",
  "A pump, a heater or any other device runs while the sun gives enough for it. One that can be regulated follows the surplus.":
    "Eine Pumpe, eine Heizung oder ein anderes Gerät läuft, solange die Sonne dafür genug gibt. Ist es regelbar, folgt es dem Überschuss.",
  "The device that runs on sun, by its id or slug.": "Das Gerät, das mit Sonne läuft.",
  "Its control: a switch, or one for the power in W or the current in A. Zero has to switch it off.":
    "Seine Steuerung: ein Schalter, oder eine für die Leistung in W oder den Strom in A. Null muss es ausschalten.",
  "Starts with": "Beginnt mit",
  "It runs with at least this. For a switch, what the device takes.":
    "Damit läuft es mindestens. Bei einem Schalter: was das Gerät aufnimmt.",
  "It runs with at most this. For a switch, the same.": "Damit läuft es höchstens. Bei einem Schalter dasselbe.",
  Temperature: "Temperatur",
  "A telemetry attribute of the device with a temperature, for the limit below.":
    "Ein Messwert des Geräts mit einer Temperatur, für die Grenze darunter.",
  "Warm enough at": "Warm genug bei",
  "It does not run above this temperature.": "Über dieser Temperatur läuft es nicht.",
  "It goes on while no more than this is missing.": "Es läuft weiter, solange nicht mehr als das fehlt.",
  "Shortest run": "Kürzester Lauf",
  "Once off, it stays off for so long.": "Einmal aus, bleibt es so lange aus.",
  "Electrolyser on sun": "Elektrolyseur mit Sonne",
  "Starts an electrolyser when the sun gives enough for it, lets its rate follow the surplus, and stops it when there is too little for long.":
    "Startet einen Elektrolyseur, wenn die Sonne genug gibt, lässt seine Rate dem Überschuss folgen und hält ihn an, wenn es lange nicht reicht.",
  Electrolyser: "Elektrolyseur",
  "The electrolyser, by its id or slug.": "Der Elektrolyseur.",
  "Power of the electrolyser": "Leistung des Elektrolyseurs",
  "Control of the electrolyser": "Steuerung des Elektrolyseurs",
  "Its control for the production rate in %.": "Seine Steuerung für die Produktionsrate in %.",
  "Command to start": "Befehl zum Starten",
  "Its command that starts production.": "Sein Befehl, der die Produktion startet.",
  "Command to stop": "Befehl zum Anhalten",
  "Its command that stops production.": "Sein Befehl, der die Produktion anhält.",
  "Power at full rate": "Leistung bei voller Rate",
  "What it takes at 100 %.": "Was er bei 100 % aufnimmt.",
  "Least rate": "Kleinste Rate",
  "The lowest rate at which it runs.": "Die kleinste Rate, mit der er läuft.",
  "Once it is started, it runs for so long: each start wears the stack.":
    "Einmal gestartet, läuft er so lange: Jeder Start nutzt den Stack ab.",
  "Once it is stopped, it rests for so long.": "Einmal angehalten, ruht er so lange.",
  "Battery reserve": "Reserve der Batterie",
  "Keeps part of the battery: below the reserve it only charges from surplus. With a peak limit, the reserve is used for peaks, and for nothing else.":
    "Hält einen Teil der Batterie zurück: Unter der Reserve lädt sie nur aus Überschuss. Mit einer Grenze für Lastspitzen dient die Reserve den Spitzen und sonst nichts.",
  Reserve: "Reserve",
  "The charge that is kept.": "Der Ladestand, der bleibt.",
  "For peaks above": "Für Spitzen über",
  "The reserve keeps the average of a window below this. Without it, it is for power cuts.":
    "Die Reserve hält das Mittel eines Zeitfensters darunter. Ohne Angabe ist sie für Stromausfälle.",
  "Backup before storms": "Vorsorge vor Sturm",
  "While a variable of the site is true, the battery is charged, also from the grid, and kept full for a power cut. Set the variable by hand, or by a program that reads a weather warning.":
    "Solange eine Variable des Standorts wahr ist, wird die Batterie geladen, auch aus dem Netz, und für einen Stromausfall voll gehalten. Setzen Sie die Variable von Hand oder mit einem Programm, das eine Wetterwarnung liest.",
  Variable: "Variable",
  "A variable of the site that is true while a storm is expected.":
    "Eine Variable des Standorts, die wahr ist, solange ein Sturm erwartet wird.",
  "Charge to": "Laden bis",
  "The charge that is reached and kept.": "Der Ladestand, der erreicht und gehalten wird.",
  "Charge with": "Laden mit",
  "The power it is charged with, also from the grid.": "Die Leistung, mit der geladen wird, auch aus dem Netz.",
  "Export limit": "Einspeisung begrenzen",
  "Gives to the grid no more than a limit, zero for example: the inverter is limited to what the site takes itself, and the limit.":
    "Speist nicht mehr als eine Grenze ein, zum Beispiel null: Der Wechselrichter wird auf das begrenzt, was der Standort selbst braucht, und die Grenze.",
  "The power that may go to the grid.": "Die Leistung, die ins Netz gehen darf.",
  Inverter: "Wechselrichter",
  "The inverter that is limited, by its id or slug.": "Der Wechselrichter, der begrenzt wird.",
  "Power of the inverter": "Leistung des Wechselrichters",
  "Control of the inverter": "Steuerung des Wechselrichters",
  "Its control that limits the power, in % of the rated power or in W.":
    "Seine Steuerung, die die Leistung begrenzt, in % der Nennleistung oder in W.",
  "Rated power": "Nennleistung",
  "Of the inverter: 100 % of its control.": "Des Wechselrichters: 100 % seiner Steuerung.",
  "Load shedding": "Lastabwurf",
  "Keeps the power from the grid below a limit at every moment: it limits the least important load first, and the most important one last.":
    "Hält die Leistung aus dem Netz in jedem Moment unter einer Grenze: Zuerst wird der unwichtigste Verbraucher begrenzt, zuletzt der wichtigste.",
  "The power from the grid that is not exceeded.": "Die Leistung aus dem Netz, die nicht überschritten wird.",
  "Load {n}": "Verbraucher {n}",
  "The most important load: it is limited last. By its id or slug.":
    "Der wichtigste Verbraucher: Er wird zuletzt begrenzt.",
  "The second load, less important than those before. By its id or slug.":
    "Der zweite Verbraucher, weniger wichtig als die vorigen.",
  "The third load, less important than those before. By its id or slug.":
    "Der dritte Verbraucher, weniger wichtig als die vorigen.",
  "The fourth load, less important than those before. By its id or slug.":
    "Der vierte Verbraucher, weniger wichtig als die vorigen.",
  "Control of load {n}": "Steuerung von Verbraucher {n}",
  "Its control: a switch, or one for the power in W, the current in A or the rate in %.":
    "Seine Steuerung: ein Schalter, oder eine für die Leistung in W, den Strom in A oder die Rate in %.",
  "Power of load {n}": "Leistung von Verbraucher {n}",
  "Most of load {n}": "Höchstens für Verbraucher {n}",
  "What the load takes at most.": "Was der Verbraucher höchstens aufnimmt.",
  "Shortest time": "Kürzeste Zeit",
  "Once it limits, it does so for so long.": "Hat die Begrenzung begonnen, dauert sie mindestens so lange.",
  "Daily report": "Tagesbericht",
  "A message once a day: what came from the grid and went there, what the sun gave, and how full the battery is.":
    "Einmal am Tag eine Nachricht: was aus dem Netz kam und dorthin ging, was die Sonne gab und wie voll die Batterie ist.",
  At: "Um",
  "The time of day of the message.": "Die Uhrzeit der Nachricht.",
  "Counter of import": "Zähler des Bezugs",
  "Its telemetry attribute with a counter in kWh that only rises.":
    "Sein Messwert mit einem Zählerstand in kWh, der nur steigt.",
  "Counter of export": "Zähler der Einspeisung",
  "An inverter for the energy of the sun, by its id or slug.": "Ein Wechselrichter für die Energie der Sonne.",
  "Counter of the sun": "Zähler der Sonne",
  "A battery for its charge, by its id or slug.": "Eine Batterie für ihren Ladestand.",
  // What is wrong with a parameter; its name stands at the field.
  "is needed": "fehlt",
  "is needed beside {other}": "fehlt neben {other}",
  "must be a number of {unit}, not {given}": "muss eine Zahl in {unit} sein, nicht {given}",
  "must be a number, not {given}": "muss eine Zahl sein, nicht {given}",
  "must be a whole number, not {given}": "muss eine ganze Zahl sein, nicht {given}",
  "must be at least {least}, not {given}": "muss mindestens {least} sein, nicht {given}",
  "must be at most {most}, not {given}": "darf höchstens {most} sein, nicht {given}",
  "must be true or false, not {given}": "muss ja oder nein sein, nicht {given}",
  "must be one of {choices}, not {given}": "muss eines von {choices} sein, nicht {given}",
  "must be a duration such as 5m, not {given}": "muss eine Dauer wie 5m sein, nicht {given}",
  "must be a text, not {given}": "muss ein Text sein, nicht {given}",
  "has at most {count} characters": "hat höchstens {count} Zeichen",
  "must be a text on one line": "muss ein Text in einer Zeile sein",
  "must be a time of day such as 07:30, sunset or sunrise-30m":
    "muss eine Uhrzeit wie 07:30, sunset oder sunrise-30m sein",
  "must be the name of a variable: letters, digits and _, and no digit first":
    "muss der Name einer Variablen sein: Buchstaben, Ziffern und _, keine Ziffer zuerst",
  "the site has no device {word}": "der Standort hat kein Gerät {word}",
  "the site has no variable {word}": "der Standort hat keine Variable {word}",
  "needs the tariff: a variable says nothing of the hours to come":
    "brauchen den Tarif: Eine Variable sagt nichts über die kommenden Stunden",
  "or below is needed: what is cheap?": "oder „Günstig unter“ fehlt: Was ist günstig?",
  "the site has no tariff with prices for import; set one, or use a variable":
    "der Standort hat keinen Tarif mit Preisen für Bezug; legen Sie einen an, oder nehmen Sie eine Variable",
  "{device} has no attribute {word}": "{device} hat keinen Messwert {word}",
  "{device} has no control {word}": "{device} hat keine Steuerung {word}",
  "{device} has no command {word}": "{device} hat keinen Befehl {word}",
};
