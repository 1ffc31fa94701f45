import { allBlocks, isObject, type StrictRule, type WireBlock } from './wire.ts';

const MAX_IMAGE_BASE64_CHARS = 5_242_880;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const HEAD_CHARS = 32; // 24 bytes: longer than every signature below

/** First bytes of each allowed image type, in hex; `..` is any byte. */
const SIGNATURES: Readonly<Record<string, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^47494638(37|39)61/,
  'image/webp': /^52494646.{8}57454250/,
};

/** Rule 11: images are of an allowed type, are what they say they are, and are not over the limit of their base64 text. */
export const imagesAreReal: StrictRule = ({ messages }) => {
  for (const block of allBlocks(messages)) {
    if (block.type !== 'image') continue;
    const complaint = complaintAboutImage(block);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
};

function complaintAboutImage({ source }: WireBlock): string | undefined {
  if (!isObject(source)) return 'image.source: Field required';
  if (source['type'] !== 'base64') return undefined; // by address or file id: nothing to look at
  const mediaType = String(source['media_type']);
  const data = String(source['data']);
  const signature = SIGNATURES[mediaType];
  if (!signature)
    return `image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp': ${mediaType}`;
  if (data.length > MAX_IMAGE_BASE64_CHARS) {
    return `image.source.base64: image exceeds 5 MB maximum: ${data.length} bytes > ${MAX_IMAGE_BASE64_CHARS} bytes`;
  }
  if (!BASE64.test(data) || data.length % 4 !== 0) return 'image.source.base64.data: invalid base64 data';
  const head = Buffer.from(data.slice(0, HEAD_CHARS), 'base64').toString('hex');
  return signature.test(head)
    ? undefined
    : `image.source.base64: the image was specified using the ${mediaType} media type, but does not appear to be one`;
}
