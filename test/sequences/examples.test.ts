// The examples of docs/testing.md are files that run as tests; the document shows them as a user would write them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/environment.ts';

const FOLDER = join(import.meta.dirname, 'examples');
const DOORS = { "'../../../src/pawl.ts'": "'pawl'", "'../../../src/testing/testing.ts'": "'pawl/testing'" };

/** An example as a user writes it: Pawl by its doors, other sources from the folder beside `test`. */
function asWritten(file: string): string {
  const code = readFileSync(join(FOLDER, file), 'utf8');
  const byDoors = Object.entries(DOORS).reduce((text, [path, door]) => text.replaceAll(path, door), code);
  return byDoors.replaceAll("'../../../src/", "'../src/");
}

const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'));

test.each(FILES)('%s stands in the document as it runs', (file) => {
  const document = readFileSync(join(ROOT, 'docs', 'testing.md'), 'utf8');
  expect(document).toContain(`\`\`\`ts file=${file}\n${asWritten(file)}\`\`\`\n`);
});

test('the document has no other code than what runs', () => {
  const document = readFileSync(join(ROOT, 'docs', 'testing.md'), 'utf8');
  const shown = [...document.matchAll(/^```ts(.*)$/gm)].map(([, info]) => info?.trim());
  expect(shown.sort()).toEqual(FILES.map((file) => `file=${file}`).sort());
});
