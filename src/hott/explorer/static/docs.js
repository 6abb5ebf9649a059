// The OpenAPI description as a plain page.

import { h } from "./dom.js";

const nameIn = (schema) => schema?.$ref?.split("/").pop()
  ?? (schema?.anyOf ? schema.anyOf.map(nameIn).join(" or ") : schema?.type === "array" ? `list of ${nameIn(schema.items ?? {})}` : schema?.type ?? "any");

function operation(path, method, { description, parameters = [], requestBody }) {
  const body = requestBody?.content["application/json"].schema;
  return h("article", { class: "card" },
    h("h2", {}, h("code", {}, `${method.toUpperCase()} ${path}`)), h("p", {}, description ?? ""),
    h("ul", {}, parameters.map((one) => h("li", {}, h("code", {}, one.name), ` ${nameIn(one.schema)}${one.required ? ", required" : ""} `, one.description ?? ""))),
    body && h("p", {}, "takes ", h("code", {}, nameIn(body))));
}

function schema(name, { properties = {}, description = "" }) {
  return h("article", { class: "card", id: name }, h("h2", {}, h("code", {}, name)), h("p", {}, description),
    h("ul", {}, Object.entries(properties).map(([field, one]) => h("li", {}, h("code", {}, field), ` ${nameIn(one)} `, one.description ?? ""))));
}

const main = document.getElementById("main");
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const described = await (await fetch("api/openapi.json")).json();
main.append(
  h("p", {}, described.info.description, " The description for programs: ", h("a", { href: "api/openapi.json" }, "openapi.json"),
    ". ", h("a", { href: "https://hott-developers.github.io/hott/explorer-api.html" }, "What they answer"), " is in the documentation."),
  ...Object.entries(described.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => operation(path, method, one))),
  h("h2", {}, "What they take"),
  ...Object.entries(described.components.schemas).map(([name, one]) => schema(name, one)));
