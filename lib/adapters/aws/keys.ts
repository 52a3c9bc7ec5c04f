import {
  DecryptCommand,
  GenerateDataKeyCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';
import { SealError } from '../envelope.ts';
import type { Keys } from '../keys.ts';

/**
 * Data keys wrapped by one KMS key. The context is part of each wrapped key, and readable in the account's
 * audit trail: ids only.
 */
export function createKmsKeys(keyId: string): Keys {
  const client = new KMSClient({});
  return {
    async generateDataKey(context) {
      const command = new GenerateDataKeyCommand({
        KeyId: keyId,
        KeySpec: 'AES_256',
        EncryptionContext: context,
      });
      const { Plaintext, CiphertextBlob } = await client.send(command);
      if (Plaintext === undefined || CiphertextBlob === undefined)
        throw new Error('KMS returned no data key');
      return { plaintext: Plaintext, wrapped: Buffer.from(CiphertextBlob).toString('base64') };
    },
    async openDataKey(wrapped, context) {
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: Buffer.from(wrapped, 'base64'),
        EncryptionContext: context,
      });
      const { Plaintext } = await client.send(command).catch((error: unknown) => {
        throw isForeign(error)
          ? new SealError('The sealed value was changed, or belongs to another key or owner.')
          : error;
      });
      if (Plaintext === undefined) throw new Error('KMS returned no data key');
      return Plaintext;
    },
  };
}

/** KMS says the same of a changed key and of another context. */
const isForeign = (error: unknown): boolean =>
  error instanceof InvalidCiphertextException || error instanceof IncorrectKeyException;
