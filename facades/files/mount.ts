/** Mounts downloads of files and images, and announced uploads. */
import type { Application, CommonDeps } from '../shared/mount.ts';
import { filePaths } from './openapi.ts';
import { fileRouter } from './router.ts';
import type { Bytes } from './send.ts';
import { type UploadOptions, uploadRouter } from './upload.ts';

export interface FileDeps extends CommonDeps {
  readonly blobs: Bytes;
  readonly takeUpload: UploadOptions['receive'];
}

export function mount(app: Application, { run, callers, blobs, takeUpload }: FileDeps): void {
  const { callFor } = callers;
  Object.assign(app.paths, filePaths);
  app.web.use(
    fileRouter({ run, callFor, open: blobs.open, has: blobs.has }),
    uploadRouter({ callFor: (req) => callFor(req, true), receive: takeUpload }),
  );
}
