/** The lines of an icon on a square of 24, each as the `d` of a path, with `|` between them. */
export type Icon = string;

// Lucide 1.48.0 (https://lucide.dev, ISC: icons.LICENSE.txt beside this file), its circles and rectangles as
// paths, in the order of the alphabet. As data, since the index of its package alone takes the bundler a
// quarter of a second.
export const activity: Icon =
  'M22 12h-2.48a2 2 0 0 0-1.93 1.46l-2.35 8.36a.25.25 0 0 1-.48 0L9.24 2.18a.25.25 0 0 0-.48 0l-2.35 8.36A2 2 0 0 1 4.49 12H2';
export const arrowDownToLine: Icon = 'M12 17V3|m6 11 6 6 6-6|M19 21H5';
export const arrowLeft: Icon = 'm12 19-7-7 7-7|M19 12H5';
export const arrowUp: Icon = 'm5 12 7-7 7 7|M12 19V5';
export const bookOpen: Icon =
  'M12 5v16|M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z';
export const bot: Icon =
  'M12 8V4H8|M6 8h12a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-12a2 2 0 0 1 -2 -2v-8a2 2 0 0 1 2 -2z|M2 14h2|M20 14h2|M15 13v2|M9 13v2';
export const box: Icon =
  'M21 8a2 2 0 0 0-1-1.73l-7-4a2 2 0 0 0-2 0l-7 4A2 2 0 0 0 3 8v8a2 2 0 0 0 1 1.73l7 4a2 2 0 0 0 2 0l7-4A2 2 0 0 0 21 16Z|m3.3 7 8.7 5 8.7-5|M12 22V12';
export const braces: Icon =
  'M8 3H7a2 2 0 0 0-2 2v5a2 2 0 0 1-2 2 2 2 0 0 1 2 2v5c0 1.1.9 2 2 2h1|M16 21h1a2 2 0 0 0 2-2v-5c0-1.1.9-2 2-2a2 2 0 0 1-2-2V5a2 2 0 0 0-2-2h-1';
export const check: Icon = 'M20 6 9 17l-5-5';
export const chevronDown: Icon = 'm6 9 6 6 6-6';
export const chevronRight: Icon = 'm9 18 6-6-6-6';
export const chevronsUpDown: Icon = 'm7 15 5 5 5-5|m7 9 5-5 5 5';
export const circleAlert: Icon = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0|M12 8L12 12|M12 16L12.01 16';
export const circleCheck: Icon = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0|m16 9-5.5 5.5L8 12';
export const circleDashed: Icon =
  'M10.1 2.182a10 10 0 0 1 3.8 0|M13.9 21.818a10 10 0 0 1-3.8 0|M17.609 3.721a10 10 0 0 1 2.69 2.7|M2.182 13.9a10 10 0 0 1 0-3.8|M20.279 17.609a10 10 0 0 1-2.7 2.69|M21.818 10.1a10 10 0 0 1 0 3.8|M3.721 6.391a10 10 0 0 1 2.7-2.69|M6.391 20.279a10 10 0 0 1-2.69-2.7';
export const circleMinus: Icon = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0|M8 12h8';
export const circleQuestionMark: Icon =
  'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0|M9.09 9a3 3 0 0 1 5.83 1c0 2-3 3-3 3|M12 17h.01';
export const circleX: Icon = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0|m15 9-6 6|m9 9 6 6';
export const clock: Icon = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0|M12 6v6l4 2';
export const copy: Icon =
  'M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z|M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2';
export const download: Icon = 'M12 15V3|M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4|m7 10 5 5 5-5';
export const ellipsis: Icon =
  'M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0|M18 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0|M4 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0';
export const externalLink: Icon =
  'M15 3h6v6|M10 14 21 3|M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6';
export const fileText: Icon =
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z|M14 2v5a1 1 0 0 0 1 1h5|M10 9H8|M16 13H8|M16 17H8';
export const folderGit2: Icon =
  'M18 19a5 5 0 0 1-5-5v8|M9 20H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H20a2 2 0 0 1 2 2v5|M11 12a2 2 0 1 0 4 0a2 2 0 1 0 -4 0|M18 19a2 2 0 1 0 4 0a2 2 0 1 0 -4 0';
export const gitBranch: Icon =
  'M15 6a9 9 0 0 0-9 9V3|M15 6a3 3 0 1 0 6 0a3 3 0 1 0 -6 0|M3 18a3 3 0 1 0 6 0a3 3 0 1 0 -6 0';
export const gitCommitHorizontal: Icon = 'M9 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0|M3 12L9 12|M15 12L21 12';
export const gitCompare: Icon =
  'M15 18a3 3 0 1 0 6 0a3 3 0 1 0 -6 0|M3 6a3 3 0 1 0 6 0a3 3 0 1 0 -6 0|M13 6h3a2 2 0 0 1 2 2v7|M11 18H8a2 2 0 0 1-2-2V9';
export const gitFork: Icon =
  'M9 18a3 3 0 1 0 6 0a3 3 0 1 0 -6 0|M3 6a3 3 0 1 0 6 0a3 3 0 1 0 -6 0|M15 6a3 3 0 1 0 6 0a3 3 0 1 0 -6 0|M18 9v2c0 .6-.4 1-1 1H7c-.6 0-1-.4-1-1V9|M12 12v3';
export const hand: Icon =
  'M18 11V6a2 2 0 0 0-2-2a2 2 0 0 0-2 2|M14 10V4a2 2 0 0 0-2-2a2 2 0 0 0-2 2v2|M10 10.5V6a2 2 0 0 0-2-2a2 2 0 0 0-2 2v8|M18 8a2 2 0 1 1 4 0v6a8 8 0 0 1-8 8h-2c-2.8 0-4.5-.86-5.99-2.34l-3.6-3.6a2 2 0 0 1 2.83-2.82L7 15';
export const info: Icon = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0|M12 16v-4|M12 8h.01';
export const keyboard: Icon =
  'M10 8h.01|M12 12h.01|M14 8h.01|M16 12h.01|M18 8h.01|M6 8h.01|M7 16h10|M8 12h.01|M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-12a2 2 0 0 1 2 -2z';
export const keyRound: Icon =
  'M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z|M16 7.5a.5 .5 0 1 0 1 0a.5 .5 0 1 0 -1 0';
export const layoutDashboard: Icon =
  'M4 3h5a1 1 0 0 1 1 1v7a1 1 0 0 1 -1 1h-5a1 1 0 0 1 -1 -1v-7a1 1 0 0 1 1 -1z|M15 3h5a1 1 0 0 1 1 1v3a1 1 0 0 1 -1 1h-5a1 1 0 0 1 -1 -1v-3a1 1 0 0 1 1 -1z|M15 12h5a1 1 0 0 1 1 1v7a1 1 0 0 1 -1 1h-5a1 1 0 0 1 -1 -1v-7a1 1 0 0 1 1 -1z|M4 16h5a1 1 0 0 1 1 1v3a1 1 0 0 1 -1 1h-5a1 1 0 0 1 -1 -1v-3a1 1 0 0 1 1 -1z';
export const listFilter: Icon = 'M2 5h20|M6 12h12|M9 19h6';
export const loaderCircle: Icon = 'M21 12a9 9 0 1 1-6.219-8.56';
export const lock: Icon =
  'M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-7a2 2 0 0 1 2 -2z|M7 11V7a5 5 0 0 1 10 0v4';
export const logOut: Icon = 'm16 17 5-5-5-5|M21 12H9|M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4';
export const menu: Icon = 'M4 5h16|M4 12h16|M4 19h16';
export const monitor: Icon =
  'M4 3h16a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z|M8 21L16 21|M12 17L12 21';
export const moon: Icon =
  'M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401';
export const network: Icon =
  'M17 16h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1v-4a1 1 0 0 1 1 -1z|M3 16h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1v-4a1 1 0 0 1 1 -1z|M10 2h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1v-4a1 1 0 0 1 1 -1z|M5 16v-3a1 1 0 0 1 1-1h12a1 1 0 0 1 1 1v3|M12 12V8';
export const play: Icon =
  'M5 5a2 2 0 0 1 3.008-1.728l11.997 6.998a2 2 0 0 1 .003 3.458l-12 7A2 2 0 0 1 5 19z';
export const plug: Icon =
  'M12 22v-5|M15 8V2|M17 8a1 1 0 0 1 1 1v4a4 4 0 0 1-4 4h-4a4 4 0 0 1-4-4V9a1 1 0 0 1 1-1z|M9 8V2';
export const plus: Icon = 'M5 12h14|M12 5v14';
export const rocket: Icon =
  'M12 15v5s3.03-.55 4-2c1.08-1.62 0-5 0-5|M4.5 16.5c-1.5 1.26-2 5-2 5s3.74-.5 5-2c.71-.84.7-2.13-.09-2.91a2.18 2.18 0 0 0-2.91-.09|M9 12a22 22 0 0 1 2-3.95A12.88 12.88 0 0 1 22 2c0 2.72-.78 7.5-6 11a22.4 22.4 0 0 1-4 2z|M9 12H4s.55-3.03 2-4c1.62-1.08 5 .05 5 .05';
export const rotateCcw: Icon = 'M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8|M3 3v5h5';
export const scrollText: Icon =
  'M15 12h-5|M15 8h-5|M19 17V5a2 2 0 0 0-2-2H4|M8 21h12a2 2 0 0 0 2-2v-1a1 1 0 0 0-1-1H11a1 1 0 0 0-1 1v1a2 2 0 1 1-4 0V5a2 2 0 1 0-4 0v2a1 1 0 0 0 1 1h3';
export const search: Icon = 'm21 21-4.34-4.34|M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0';
export const send: Icon =
  'M14.536 21.686a.5.5 0 0 0 .937-.024l6.5-19a.496.496 0 0 0-.635-.635l-19 6.5a.5.5 0 0 0-.024.937l7.93 3.18a2 2 0 0 1 1.112 1.11z|m21.854 2.147-10.94 10.939';
export const server: Icon =
  'M4 2h16a2 2 0 0 1 2 2v4a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-4a2 2 0 0 1 2 -2z|M4 14h16a2 2 0 0 1 2 2v4a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-4a2 2 0 0 1 2 -2z|M6 6L6.01 6|M6 18L6.01 18';
export const settings: Icon =
  'M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915|M9 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0';
export const square: Icon = 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2z';
export const sun: Icon =
  'M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0|M12 2v2|M12 20v2|m4.93 4.93 1.41 1.41|m17.66 17.66 1.41 1.41|M2 12h2|M20 12h2|m6.34 17.66-1.41 1.41|m19.07 4.93-1.41 1.41';
export const textWrap: Icon = 'm16 16-3 3 3 3|M3 12h14.5a1 1 0 0 1 0 7H13|M3 19h6|M3 5h18';
export const triangleAlert: Icon =
  'm21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3|M12 9v4|M12 17h.01';
export const undo2: Icon = 'M9 14 4 9l5-5|M4 9h10.5a5.5 5.5 0 0 1 5.5 5.5a5.5 5.5 0 0 1-5.5 5.5H11';
export const upload: Icon = 'M12 3v12|m17 8-5-5-5 5|M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4';
export const user: Icon = 'M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2|M8 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0';
export const webhook: Icon =
  'M18 16.98h-5.99c-1.1 0-1.95.94-2.48 1.9A4 4 0 0 1 2 17c.01-.7.2-1.4.57-2|m6 17 3.13-5.78c.53-.97.1-2.18-.5-3.1a4 4 0 1 1 6.89-4.06|m12 6 3.13 5.73C15.66 12.7 16.9 13 18 13a4 4 0 0 1 0 8';
export const wifiOff: Icon =
  'M12 20h.01|M8.5 16.429a5 5 0 0 1 7 0|M5 12.859a10 10 0 0 1 5.17-2.69|M19 12.859a10 10 0 0 0-2.007-1.523|M2 8.82a15 15 0 0 1 4.177-2.643|M22 8.82a15 15 0 0 0-11.288-3.764|m2 2 20 20';
export const wrench: Icon =
  'M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.106-3.105c.32-.322.863-.22.983.218a6 6 0 0 1-8.259 7.057l-7.91 7.91a1 1 0 0 1-2.999-3l7.91-7.91a6 6 0 0 1 7.057-8.259c.438.12.54.662.219.984z';
export const x: Icon = 'M18 6 6 18|m6 6 12 12';
