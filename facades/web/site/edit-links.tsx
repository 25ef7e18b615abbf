/** Edit links on the pages of datasets, organizations and groups. */
import type { GroupHeadFragment } from '../../../src/generated/operations.ts';
import { Follow } from './follow.tsx';
import { Form } from './form.tsx';
import type { Frame } from './frame.ts';
import { useTexts } from './use-texts.ts';

export function EditLinks({ frame, dataset }: { frame: Frame; dataset: { name: string; state: string } }) {
  const { t } = useTexts();
  const name = encodeURIComponent(dataset.name);
  return (
    <div class="actions">
      <a class="button" href={`/dataset/edit/${name}`}>
        {t('dataset.edit')}
      </a>
      <a href={`/dataset/${name}/resource/new`}>{t('dataset.addResources')}</a>
      <a href={`/dataset/resources/${name}`}>{t('dataset.manageResources')}</a>
      {dataset.state === 'deleted' ? (
        <Form action={`/dataset/restore/${name}`} token={frame.token}>
          <button type="submit">{t('dataset.restore')}</button>
        </Form>
      ) : (
        <a href={`/dataset/delete/${name}`}>{t('dataset.delete')}</a>
      )}
    </div>
  );
}

interface GroupLinksProps {
  readonly frame: Frame;
  readonly kind: 'organization' | 'group';
  readonly group: GroupHeadFragment;
}

export function GroupLinks({ frame, kind, group }: GroupLinksProps) {
  const { t } = useTexts();
  const { followerCount, viewerIsFollowing, viewerCanUpdate, viewerCanDelete, state } = group;
  const name = encodeURIComponent(group.name);
  return (
    <>
      <Follow {...{ frame, kind, name: group.name, followerCount }} isFollowing={viewerIsFollowing} />
      {viewerCanUpdate && (
        <div class="actions">
          <a class="button" href={`/${kind}/edit/${name}`}>
            {t('edit.edit')}
          </a>
          {frame.addsDatasets && kind === 'organization' && (
            <a href={`/dataset/new?organization=${name}`}>{t('manage.addDataset')}</a>
          )}
          <a href={`/${kind}/members/${name}`}>{t('manage.manageMembers')}</a>
          {kind === 'organization' && <a href={`/organization/bulk_process/${name}`}>{t('manage.changeDatasets')}</a>}
          {state === 'deleted' ? (
            <Form action={`/${kind}/restore/${name}`} token={frame.token}>
              <button type="submit">{t('edit.restore')}</button>
            </Form>
          ) : (
            viewerCanDelete && <a href={`/${kind}/delete/${name}`}>{t('edit.delete')}</a>
          )}
        </div>
      )}
    </>
  );
}
