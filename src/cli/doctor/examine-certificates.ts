// The certificates of the servers: whether they can be used, for which names, and for how long.
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Config } from "#config";
import { checkPair, isFor, namesOf } from "#config/certificate-pair.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const DAY = 86_400_000;
/** Busbar renews its own 30 days before their end. */
const OWN_DAYS = 7;
const FILE_DAYS = 14;

export function examineCertificates(config: Config): readonly Finding[] {
  const { data, mqtt, http } = config;
  const own = (check: string, name: string) => {
    const file = join(data, "pki", name);
    if (!existsSync(file)) return [];
    const certificate = new X509Certificate(readFileSync(file));
    return [examineEnd(check, certificate, { days: OWN_DAYS, advice: "restart Busbar: it makes a new one" })];
  };
  return [
    ...(mqtt.tlsPort === "off" ? [] : own("certificates", "server.crt")),
    ...(http.tls === "off" ? [] : own("http certificate", "http.crt")),
    ...examineFiles(config),
  ];
}

const CHECK = "http certificate";

function examineFiles({ http, host }: Config): readonly Finding[] {
  const { tlsCert, tlsKey } = http;
  if (tlsCert === undefined || tlsKey === undefined) return [];
  let pair: ReturnType<typeof checkPair>;
  try {
    pair = checkPair({ certificate: readFileSync(tlsCert, "utf8"), privateKey: readFileSync(tlsKey, "utf8") });
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [failed(CHECK, found, "correct http.tls_cert and http.tls_key, and let the user of Busbar read both files")];
  }
  if ("problem" in pair) return [failed(CHECK, pair.problem, "write the certificate and its own key into these files")];
  const { own } = pair;
  const findings = [
    examineEnd(CHECK, own, { days: FILE_DAYS, advice: "renew it; Busbar notices the new files itself" }),
  ];
  const names = http.names.length > 0 ? http.names : isIP(host) === 0 ? [host] : [];
  const missing = names.filter((name) => !isFor(own, name));
  if (missing.length > 0) {
    const found = `it is for ${namesOf(own).join(", ") || "no name"}, not for ${missing.join(", ")}`;
    findings.push(failed(CHECK, found, "clients refuse it: get a certificate for the names of http.names"));
  }
  return findings;
}

function examineEnd(
  check: string,
  { validFromDate, validToDate }: X509Certificate,
  { days, advice }: { readonly days: number; readonly advice: string },
): Finding {
  const now = Date.now();
  const found = `valid until ${validToDate.toISOString()}`;
  if (validFromDate.getTime() > now) {
    return failed(check, `not valid before ${validFromDate.toISOString()}`, "compare the clock of this machine");
  }
  if (validToDate.getTime() <= now) return failed(check, `it has expired; it was ${found}`, advice);
  return validToDate.getTime() - now > days * DAY ? ok(check, found) : warning(check, found, advice);
}
