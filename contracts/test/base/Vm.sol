// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev The cheatcodes of forge that these tests use: a subset of the interface `Vm` in forge-std 1.16.1
/// (https://github.com/foundry-rs/forge-std), with the same names, types and mutability. It is declared here because
/// Foundry publishes forge-std as a git repository only, see docs/decisions/007-libraries-and-tools.md. forge reverts
/// on an unknown selector, so a wrong line fails the tests that use it.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function signCompact(uint256 privateKey, bytes32 digest) external pure returns (bytes32 r, bytes32 vs);
    function warp(uint256 timestamp) external;
    function getBlockTimestamp() external view returns (uint256);
    function chainId(uint256 id) external;
    function prank(address sender) external;
    function deal(address account, uint256 balance) external;
    function etch(address target, bytes calldata code) external;
    function store(address target, bytes32 slot, bytes32 value) external;
    function load(address target, bytes32 slot) external view returns (bytes32);
    function assume(bool condition) external pure;
    function envOr(string calldata name, string calldata defaultValue) external view returns (string memory);
    function deployCode(string calldata artifact, bytes calldata arguments) external returns (address);
    function expectRevert(bytes calldata data) external;
    function expectEmit(address emitter) external;
    function recordLogs() external;
    function getRecordedLogs() external view returns (Log[] memory);
    function snapshotState() external returns (uint256);
    function revertToState(uint256 id) external returns (bool);

    function assertTrue(bool condition, string calldata text) external pure;
    function assertFalse(bool condition, string calldata text) external pure;
    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(uint256 left, uint256 right, string calldata text) external pure;
    function assertEq(address left, address right) external pure;
    function assertEq(bytes32 left, bytes32 right) external pure;
    function assertEq(bool left, bool right) external pure;
    function assertEq(bool left, bool right, string calldata text) external pure;
    function assertEq(string calldata left, string calldata right) external pure;
    function assertLe(uint256 left, uint256 right) external pure;
    function assertLe(uint256 left, uint256 right, string calldata text) external pure;
    function assertGe(uint256 left, uint256 right) external pure;
    function assertLt(uint256 left, uint256 right) external pure;
}
