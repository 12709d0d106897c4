import { defineMessages } from "#web/i18n/define-messages.ts";
import { spellOperation } from "./audit-view.ts";

/** Operations that the audit log names, in words. Those of the compatible addresses mean the same. */
const actions = defineMessages({
  en: {
    createSite: "Create a site",
    updateSite: "Change a site",
    deleteSite: "Delete a site",
    updateDevice: "Change a device",
    deleteDevice: "Delete a device",
    assignBlueprint: "Assign a blueprint",
    restartDeviceRuntime: "Restart a script",
    adjustSimulation: "Change a simulation",
    putConfiguration: "Change a configuration",
    executeCommand: "Run a command",
    createCommandExecution: "Start a command",
    importTelemetry: "Import telemetry",
    putRetention: "Change the retention",
    generateConfig: "Make credentials of a device",
    provisionStandalone: "Add a device over MQTT",
    provisionVirtualUcm: "Add a virtual module",
    provisionLuaDevice: "Add a device with a script",
    provisionSimulatedDevice: "Add a simulated device",
    provisionChildDevice: "Add a child device",
    uploadBlueprint: "Upload a blueprint",
    uploadCatalogueEntry: "Upload from the catalogue",
    uploadProfiles: "Upload profiles",
    createWebhook: "Create a webhook",
    deleteWebhook: "Delete a webhook",
    retryWebhookDelivery: "Deliver again",
    createToken: "Create a token",
    revokeToken: "Revoke a token",
    createSession: "Sign in",
    endCurrentSession: "Sign out",
    endSession: "End a session",
    endOwnSessions: "Sign out everywhere",
    createJoinCode: "Make a code for a gateway",
    withdrawJoinCode: "Withdraw a code",
    withdrawChange: "Withdraw a change",
    joinGateway: "A gateway joins",
    revokeGateway: "Revoke a gateway",
    giveSite: "Let a gateway take over a site",
    rotateGatewayCredential: "Replace a gateway's credential",
    joinCloud: "Join a cloud",
    leaveCloud: "Leave the cloud",
    firstStart: "First start",
    various: "Various calls",
  },
  de: {
    createSite: "Standort anlegen",
    updateSite: "Standort ändern",
    deleteSite: "Standort löschen",
    updateDevice: "Gerät ändern",
    deleteDevice: "Gerät löschen",
    assignBlueprint: "Blueprint zuweisen",
    restartDeviceRuntime: "Skript neu starten",
    adjustSimulation: "Simulation ändern",
    putConfiguration: "Konfiguration ändern",
    executeCommand: "Befehl ausführen",
    createCommandExecution: "Befehl starten",
    importTelemetry: "Telemetrie einlesen",
    putRetention: "Aufbewahrung ändern",
    generateConfig: "Zugangsdaten eines Geräts erzeugen",
    provisionStandalone: "Gerät über MQTT hinzufügen",
    provisionVirtualUcm: "Virtuelles Modul hinzufügen",
    provisionLuaDevice: "Gerät mit Skript hinzufügen",
    provisionSimulatedDevice: "Simuliertes Gerät hinzufügen",
    provisionChildDevice: "Untergeordnetes Gerät hinzufügen",
    uploadBlueprint: "Blueprint hochladen",
    uploadCatalogueEntry: "Aus dem Katalog hochladen",
    uploadProfiles: "Profile hochladen",
    createWebhook: "Webhook anlegen",
    deleteWebhook: "Webhook löschen",
    retryWebhookDelivery: "Erneut zustellen",
    createToken: "Token anlegen",
    revokeToken: "Token widerrufen",
    createSession: "Anmelden",
    endCurrentSession: "Abmelden",
    endSession: "Sitzung beenden",
    endOwnSessions: "Überall abmelden",
    createJoinCode: "Code für ein Gateway erzeugen",
    withdrawJoinCode: "Code zurückziehen",
    withdrawChange: "Änderung zurückziehen",
    joinGateway: "Ein Gateway tritt bei",
    revokeGateway: "Gateway sperren",
    giveSite: "Ein Gateway einen Standort übernehmen lassen",
    rotateGatewayCredential: "Zugang eines Gateways erneuern",
    joinCloud: "Cloud beitreten",
    leaveCloud: "Cloud verlassen",
    firstStart: "Erster Start",
    various: "Verschiedene Aufrufe",
  },
});

/** Operations that mean the same as another one. */
const SAME: Readonly<Record<string, keyof typeof actions>> = {
  updateOnlySite: "updateSite",
  putConfigurationBucket: "putConfiguration",
  updateDeviceOfSite: "updateDevice",
  deleteDeviceOfSite: "deleteDevice",
  assignBlueprintOfSite: "assignBlueprint",
  generateConfigOfSite: "generateConfig",
  executeCommandOfSite: "executeCommand",
  executeCommandAlias: "executeCommand",
  createCommandExecutionOfSite: "createCommandExecution",
  createCommandExecutionAlias: "createCommandExecution",
};

export const ACTIONS = Object.keys(actions) as readonly (keyof typeof actions)[];

/** Every operation that a choice stands for. */
export function operationsOf(action: string): readonly string[] {
  return [action, ...Object.keys(SAME).filter((other) => SAME[other] === action)];
}

export function actionName(action: string): string {
  const known = ACTIONS.find((one) => one === action) ?? SAME[action];
  return known === undefined ? spellOperation(action) : actions[known];
}
