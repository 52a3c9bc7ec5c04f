import { describeKill } from './crash-scene.ts';

describeKill('kill -9 of the whole process group of the program', 'killGroup');
