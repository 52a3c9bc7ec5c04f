import { describeKill } from './crash-scene.ts';

describeKill("kill -9 of the program's own process alone, while its children live on", 'killAlone');
