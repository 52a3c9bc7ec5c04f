import {
  DecryptCommand,
  GenerateDataKeyCommand,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { createKmsKeys } from '../../../lib/adapters/aws/keys.ts';
import { open, SealError, seal } from '../../../lib/adapters/envelope.ts';

const kms = mockClient(KMSClient);
const keys = createKmsKeys('key-1');
const context = { tenant: 't', deployment: 'd' };

/** As KMS does: a wrapped key opens only under the context it was made with. */
function behaveLikeKms(): void {
  const made = new Map<string, { plaintext: Uint8Array; context: unknown }>();
  kms.on(GenerateDataKeyCommand).callsFake(async ({ EncryptionContext }) => {
    const id = `wrapped-${made.size}`;
    made.set(id, { plaintext: new Uint8Array(32).fill(made.size + 1), context: EncryptionContext });
    return { Plaintext: new Uint8Array(32).fill(made.size), CiphertextBlob: Buffer.from(id) };
  });
  kms.on(DecryptCommand).callsFake(async ({ CiphertextBlob, EncryptionContext }) => {
    const found = made.get(Buffer.from(CiphertextBlob).toString());
    if (JSON.stringify(found?.context) !== JSON.stringify(EncryptionContext)) {
      throw new InvalidCiphertextException({ message: 'no', $metadata: {} });
    }
    return { Plaintext: found?.plaintext.slice() };
  });
}

beforeEach(() => {
  kms.reset();
  behaveLikeKms();
});

describe('KMS keys', () => {
  it('open what they sealed, with the key, its kind and the context named in each call', async () => {
    const sealed = await seal(keys, 'secret', context);
    expect(await open(keys, sealed, context)).toBe('secret');
    expect(kms.commandCalls(GenerateDataKeyCommand)[0]?.args[0].input).toEqual({
      KeyId: 'key-1',
      KeySpec: 'AES_256',
      EncryptionContext: context,
    });
    expect(kms.commandCalls(DecryptCommand)[0]?.args[0].input).toMatchObject({
      KeyId: 'key-1',
      EncryptionContext: context,
    });
  });

  it('refuse another context', async () => {
    const sealed = await seal(keys, 'secret', context);
    await expect(open(keys, sealed, { ...context, tenant: 'other' })).rejects.toThrow(SealError);
  });

  it('throw what is no refusal as it came', async () => {
    kms.on(DecryptCommand).rejects(new Error('down'));
    await expect(keys.openDataKey('AAAA', context)).rejects.toThrow('down');
  });
});
