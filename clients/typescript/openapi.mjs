import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** Writes the types of openapi.json. A text with a known beginning does not make a union of names any text. */
const BEGINNING = /^\^(\w+:)\[/;

function typeOf({ pattern }) {
  const [, beginning] = BEGINNING.exec(pattern ?? '') ?? [];
  if (!beginning) return undefined;
  const anyText = ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  return ts.factory.createTemplateLiteralType(ts.factory.createTemplateHead(beginning), [
    ts.factory.createTemplateLiteralTypeSpan(anyText, ts.factory.createTemplateTail('')),
  ]);
}

const document = new URL('../../openapi.json', import.meta.url);
const types = await openapiTS(document, { transform: typeOf });
writeFileSync(new URL('src/openapi.ts', import.meta.url), astToString(types));
