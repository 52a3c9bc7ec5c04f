import { linesOf } from './test/aws/function-logs.ts';
import { FargateAccount } from './test/aws/fargate-account.ts';
const e = { endpoint: `http://127.0.0.1:${process.argv[2]}`, port: Number(process.argv[2]) } as never;
const a = new FargateAccount(e);
console.log(JSON.stringify(await a.left()).slice(0,1500));
const lines = await linesOf(e, Date.now()-240000);
console.log(lines.length); for (const l of lines.filter(l=>/drive|rror|denied/.test(l)&&!/START|END|REPORT/.test(l)).slice(-25)) console.log(l.slice(0,600));
process.exit();
