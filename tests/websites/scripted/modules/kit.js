export default 3;
