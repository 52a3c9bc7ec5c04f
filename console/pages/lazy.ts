/**
 * The pages behind the list, in one script that is loaded with the first of them: in several, what they share
 * would be more files, and the list would wait for some of those too.
 */
export { DeploymentPage } from './deployment.tsx';
export { NewDeployment } from './new-deployment.tsx';
export { Palette } from './palette.tsx';
export { RevisionPage } from './revision.tsx';
export { SettingsPage } from './settings.tsx';
