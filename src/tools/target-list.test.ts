import { expect, test } from 'vitest';
import { DefinitionError } from './definition-error.ts';
import { createHttpGet } from './http-get.ts';
import { hostList, hostPortList } from './target-list.ts';

test('hosts are read as URLs spell them', () => {
  const { entries, problems } = hostList(['Example.com', 'münchen.de', '1.1.1.1', '[2606:4700:4700:0::1111]']);
  expect([...entries]).toEqual(['example.com', 'xn--mnchen-3ya.de', '1.1.1.1', '[2606:4700:4700::1111]']);
  expect(problems).toEqual([]);
});

test('pairs keep a port that is the default one', () => {
  expect([...hostPortList(['Wiki.internal:8080', '10.0.0.5:80', '[::1]:443']).entries]).toEqual([
    'wiki.internal:8080',
    '10.0.0.5:80',
    '[::1]:443',
  ]);
});

test('all faults of the options are told at once', () => {
  const options = {
    name: ' ',
    hosts: ['https://example.com', 'example.com:443', 'a@b', ''],
    allowPrivate: ['localhost', 'localhost:', 'localhost:99999', 'localhost:80/x'],
    maxBytes: 0,
    timeoutMs: 1.5,
    maxRedirects: -1,
  };
  const faults = (): string[] => {
    try {
      createHttpGet(options);
    } catch (error) {
      if (error instanceof DefinitionError) return [...error.problems];
      throw error;
    }
    return [];
  };
  expect(faults()).toHaveLength(12);
  expect(faults()[0]).toBe('name must be a text that is not empty, not " "');
  expect(faults()[1]).toBe('hosts must have host names such as "example.com", not "https://example.com"');
});

test('the tool is named as it is asked to be, and has time to tell why it took long', () => {
  expect(createHttpGet().spec().name).toBe('http_get');
  const tool = createHttpGet({ name: 'fetch_url', timeoutMs: 60_000 });
  expect(tool).toMatchObject({ name: 'fetch_url', effect: 'read', quick: false });
  expect(tool.timeoutMs).toBeGreaterThan(60_000);
});
