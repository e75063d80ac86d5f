// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {AgentWalletFactory} from "../../src/AgentWalletFactory.sol";
import {PayoutEscrow} from "../../src/PayoutEscrow.sol";
import {Provider} from "../../src/Provider.sol";
import {Relay} from "../../src/Relay.sol";
import {UsdcStandIn} from "../../src/usdc/UsdcStandIn.sol";
import {Signing} from "./Signing.sol";

/// @dev Deploys all contracts and one funded wallet with its first session.
abstract contract Base is Signing {
    address internal constant ADMIN = address(0xad01);
    address internal constant PROXY_ADMIN = address(0xdead);
    address internal constant STRANGER = address(0x5742);
    address internal constant RECIPIENT = address(0xbeef);

    uint256 internal constant OWNER = 0xa11ce;
    uint256 internal constant SESSION = 0x5e55;
    uint256 internal constant OPERATOR = 0x09e7;
    uint256 internal constant CLAIM = 0xc1a1;
    uint256 internal constant RECLAIM = 0x7ec1;

    uint64 internal constant LIMIT = 1_000e6;
    uint64 internal constant FUNDS = 50_000e6;
    uint48 internal constant START = 1_800_000_000;
    uint40 internal constant VALID_UNTIL = uint40(START + 30 days);
    uint48 internal constant DEADLINE = START + 300;

    UsdcStandIn internal usdc;
    PayoutEscrow internal escrow;
    Provider internal provider;
    AgentWalletFactory internal factory;
    Relay internal relay;
    AgentWallet internal wallet;

    function setUp() public virtual {
        vm.warp(START);
        usdc = deployUsdc();
        escrow = PayoutEscrow(deploy("PayoutEscrow", abi.encode(usdc)));
        provider = Provider(deploy("Provider", abi.encode(ADMIN, vm.addr(OPERATOR))));
        factory = AgentWalletFactory(deploy("AgentWalletFactory", abi.encode(usdc, escrow, provider)));
        relay = Relay(deploy("Relay", ""));
        wallet = create(bytes32(0));
        mint(address(wallet), FUNDS);
    }

    function deployUsdc() internal returns (UsdcStandIn) {
        address implementation = deploy("UsdcStandIn", "");
        bytes memory init = abi.encodeCall(UsdcStandIn.initialize, (ADMIN));
        return UsdcStandIn(deploy("UsdcStandInProxy", abi.encode(implementation, PROXY_ADMIN, init)));
    }

    /// @dev The slot that EIP-1967 defines for the implementation behind a proxy.
    function implementationSlot() internal pure returns (bytes32) {
        return bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    }

    function create(bytes32 salt) internal returns (AgentWallet) {
        return create(salt, 0);
    }

    function create(bytes32 salt, uint16 purchaseAllowance) internal returns (AgentWallet) {
        address owner = vm.addr(OWNER);
        return AgentWallet(
            factory.createWallet(owner, salt, vm.addr(SESSION), LIMIT, purchaseAllowance, VALID_UNTIL)
        );
    }

    /// @dev Does nothing for amount zero, which the token refuses to mint.
    function mint(address to, uint256 amount) internal {
        if (amount == 0) return;
        vm.prank(ADMIN);
        usdc.mint(to, amount);
    }

    function setBlacklisted(address account, bool blacklisted) internal {
        vm.prank(ADMIN);
        if (blacklisted) usdc.blacklist(account);
        else usdc.unBlacklist(account);
    }

    function someTerms() internal view returns (PayoutEscrow.Terms memory) {
        return PayoutEscrow.Terms({
            payer: address(wallet),
            claimKey: vm.addr(CLAIM),
            reclaimKey: vm.addr(RECLAIM),
            amount: 60e6,
            expiry: START + 7 days
        });
    }

    /// @dev The first nonce of `epoch` plus `sequence`.
    function nonceOf(uint32 epoch, uint32 sequence) internal pure returns (uint64) {
        return (uint64(epoch) << 32) | sequence;
    }

    // Actions signed by the usual key and submitted by a stranger

    function send(address to, uint64 amount, uint64 nonce) internal {
        send(SESSION, to, amount, nonce, DEADLINE);
    }

    function send(uint256 key, address to, uint64 amount, uint64 nonce, uint48 deadline) internal {
        (bytes32 r, bytes32 vs) = signSend(key, address(wallet), to, amount, nonce, deadline);
        vm.prank(STRANGER);
        wallet.send(to, amount, nonce, deadline, r, vs);
    }

    function rotate(uint256 newKey, uint64 limit, uint40 validUntil, uint32 expectedEpoch) internal {
        rotate(newKey, limit, 0, validUntil, expectedEpoch);
    }

    function rotate(uint256 newKey, uint64 limit, uint16 allowance, uint40 validUntil, uint32 expectedEpoch) internal {
        address key = vm.addr(newKey);
        uint48 deadline = uint48(vm.getBlockTimestamp() + 300);
        (bytes32 r, bytes32 vs) =
            signRotate(OPERATOR, address(wallet), key, limit, allowance, validUntil, expectedEpoch, deadline);
        vm.prank(STRANGER);
        wallet.rotateSessionKey(key, limit, allowance, validUntil, expectedEpoch, deadline, r, vs);
    }

    function claim(PayoutEscrow.Terms memory terms, address to, uint64 atLeast) internal {
        uint48 deadline = uint48(vm.getBlockTimestamp() + 300);
        bytes32 id = escrow.payoutId(terms);
        (bytes32 r, bytes32 vs) = signClaim(CLAIM, address(escrow), id, to, atLeast, deadline);
        vm.prank(STRANGER);
        escrow.claim(terms, to, atLeast, deadline, r, vs);
    }

    function reclaim(PayoutEscrow.Terms memory terms, uint64 atLeast) internal {
        uint48 deadline = uint48(vm.getBlockTimestamp() + 300);
        bytes32 id = escrow.payoutId(terms);
        (bytes32 r, bytes32 vs) = signReclaim(RECLAIM, address(escrow), id, atLeast, deadline);
        vm.prank(STRANGER);
        escrow.reclaim(terms, atLeast, deadline, r, vs);
    }

    /// @dev Calls `target` as `from`. Returns whether the call succeeded.
    function attempt(address from, address target, bytes memory data) internal returns (bool success) {
        vm.prank(from);
        (success,) = target.call(data);
    }
}
