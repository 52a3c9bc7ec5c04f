import { DEPLOYMENT, TENANT } from '../../contract/example-values.ts';

export const uploadExamples = {
  createUploadUrl: {
    body: { supports_upload_headers: true },
    response: {
      upload_url: 'https://bucket.s3.example/pending/support-agent.tar.gz?X-Amz-Signature=…',
      object_path: `pending/${TENANT}/${DEPLOYMENT}/0190a000-0000-7000-8000-000000000001.tar.gz`,
      upload_headers: {},
    },
  },
};
