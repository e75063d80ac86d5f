// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {IAgentWallet} from "../../src/IAgentWallet.sol";
import {PayoutEscrow} from "../../src/PayoutEscrow.sol";
import {Base} from "../base/Base.sol";

/// @dev The signed form of each owner action: its effect, wrong signer, replay, deadline and nonce.
contract OwnerSignaturesTest is Base {
    uint256 private constant KINDS = 5;

    /// @dev The calldata of owner action `kind`, signed by `key`.
    function _signed(uint256 kind, uint256 key, uint256 ownerNonce, uint48 deadline)
        private
        view
        returns (bytes memory)
    {
        address self = address(wallet);
        bytes32 r;
        bytes32 vs;
        if (kind == 0) {
            (r, vs) = signWithdraw(key, self, address(usdc), RECIPIENT, 9e6, ownerNonce, deadline);
            return abi.encodeCall(AgentWallet.withdrawBySig, (address(usdc), RECIPIENT, 9e6, deadline, r, vs));
        }
        if (kind == 1) {
            (r, vs) = signSetSession(key, self, STRANGER, 5e6 + 77, 5, VALID_UNTIL, ownerNonce, deadline);
            return abi.encodeCall(AgentWallet.setSessionBySig, (STRANGER, 5e6 + 77, 5, VALID_UNTIL, deadline, r, vs));
        }
        if (kind == 2) {
            (r, vs) = signRevokeSession(key, self, ownerNonce, deadline);
            return abi.encodeCall(AgentWallet.revokeSessionBySig, (deadline, r, vs));
        }
        if (kind == 3) {
            (r, vs) = signDisableRotation(key, self, ownerNonce, deadline);
            return abi.encodeCall(AgentWallet.disableRotationAuthorityBySig, (deadline, r, vs));
        }
        PayoutEscrow.Terms memory terms = someTerms();
        (r, vs) = signReclaimPayout(key, self, escrow.payoutId(terms), ownerNonce, deadline);
        return abi.encodeCall(AgentWallet.reclaimPayoutBySig, (terms, deadline, r, vs));
    }

    function _call(bytes memory data) private {
        vm.assertTrue(attempt(STRANGER, address(wallet), data), "refused");
    }

    function _expectRevert(bytes memory data, bytes memory reason) private {
        vm.prank(STRANGER);
        (bool success, bytes memory result) = address(wallet).call(data);
        vm.assertFalse(success, "accepted");
        vm.assertEq(keccak256(result), keccak256(reason));
    }

    function setUp() public override {
        super.setUp();
        mint(escrow.payoutAddress(someTerms()), 60e6);
    }

    function test_withdrawBySig_movesUsdc() public {
        _call(_signed(0, OWNER, 0, DEADLINE));
        vm.assertEq(usdc.balanceOf(RECIPIENT), 9e6);
        vm.assertEq(wallet.state().ownerNonce, 1);
    }

    function testFuzz_withdrawBySig_reverts_whenAnArgumentWasChanged(address to, uint256 amount) public {
        vm.assume(to != RECIPIENT || amount != 9e6);
        (bytes32 r, bytes32 vs) = signWithdraw(OWNER, address(wallet), address(usdc), RECIPIENT, 9e6, 0, DEADLINE);
        bytes memory data = abi.encodeCall(AgentWallet.withdrawBySig, (address(usdc), to, amount, DEADLINE, r, vs));
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
    }

    function testFuzz_withdrawBySig_movesEth(uint256 amount) public {
        amount = bound(amount, 0, 100 ether);
        vm.deal(address(wallet), amount);
        (bytes32 r, bytes32 vs) = signWithdraw(OWNER, address(wallet), address(0), RECIPIENT, amount, 0, DEADLINE);
        wallet.withdrawBySig(address(0), RECIPIENT, amount, DEADLINE, r, vs);
        vm.assertEq(RECIPIENT.balance, amount);
    }

    function test_setSessionBySig_replacesTheSession() public {
        _call(_signed(1, OWNER, 0, DEADLINE));
        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.sessionKey, STRANGER);
        vm.assertEq(state.remaining, 77);
        vm.assertEq(state.purchaseAllowance, 5);
        vm.assertEq(state.epoch, 2);
    }

    function testFuzz_setSessionBySig_reverts_whenAnArgumentWasChanged(uint64 limit, uint16 allowance) public {
        limit = uint64(bound(limit, 5e6, 100e6));
        allowance = uint16(bound(allowance, 0, limit / 1e6));
        vm.assume(limit != 50e6 || allowance != 5);
        (bytes32 r, bytes32 vs) = signSetSession(OWNER, address(wallet), STRANGER, 50e6, 5, VALID_UNTIL, 0, DEADLINE);
        bytes memory data =
            abi.encodeCall(AgentWallet.setSessionBySig, (STRANGER, limit, allowance, VALID_UNTIL, DEADLINE, r, vs));
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
    }

    function test_revokeSessionBySig_revokes() public {
        _call(_signed(2, OWNER, 0, DEADLINE));
        vm.assertTrue(wallet.state().sessionRevoked, "not revoked");
        vm.assertEq(wallet.state().epoch, 2);
    }

    function test_disableRotationAuthorityBySig_disables_andKeepsTheCurrentKey() public {
        _call(_signed(3, OWNER, 0, DEADLINE));
        vm.assertTrue(wallet.state().rotationDisabled, "still allowed");
        send(RECIPIENT, 5, nonceOf(1, 0));
    }

    function test_reclaimPayoutBySig_returnsThePayout() public {
        _call(_signed(4, OWNER, 0, DEADLINE));
        vm.assertEq(usdc.balanceOf(address(wallet)), uint256(FUNDS) + 60e6);
    }

    function testFuzz_bySig_reverts_whenReplayed(uint256 kind) public {
        bytes memory data = _signed(kind % KINDS, OWNER, 0, DEADLINE);
        _call(data);
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "replayed");
        vm.assertEq(wallet.state().ownerNonce, 1);
    }

    function testFuzz_bySig_reverts_whenNotTheOwner(uint256 kind, uint256 key) public {
        key = bound(key, 1, 1 << 250);
        vm.assume(key != OWNER);
        _expectRevert(
            _signed(kind % KINDS, key, 0, DEADLINE),
            abi.encodeWithSelector(IAgentWallet.WrongSigner.selector, vm.addr(key), vm.addr(OWNER))
        );
    }

    function testFuzz_bySig_reverts_withAnotherOwnerNonce(uint256 kind, uint256 ownerNonce) public {
        vm.assume(ownerNonce != 0);
        bytes memory data = _signed(kind % KINDS, OWNER, ownerNonce, DEADLINE);
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
    }

    function testFuzz_bySig_reverts_afterTheDeadline(uint256 kind, uint48 late) public {
        late = uint48(bound(late, 1, 365 days));
        bytes memory data = _signed(kind % KINDS, OWNER, 0, DEADLINE);
        vm.warp(uint256(DEADLINE) + late);
        _expectRevert(
            data, abi.encodeWithSelector(IAgentWallet.SignatureExpired.selector, DEADLINE, uint256(DEADLINE) + late)
        );
    }

    function testFuzz_bySig_isAccepted_inTheDeadlineSecond(uint256 kind) public {
        bytes memory data = _signed(kind % KINDS, OWNER, 0, DEADLINE);
        vm.warp(DEADLINE);
        _call(data);
    }

    function testFuzz_bySig_reverts_whenTheDeadlineIsMoreThanADayAhead(uint256 kind, uint48 deadline) public {
        uint48 latest = START + 1 days;
        deadline = uint48(bound(deadline, latest + 1, type(uint48).max));
        _expectRevert(
            _signed(kind % KINDS, OWNER, 0, deadline),
            abi.encodeWithSelector(IAgentWallet.DeadlineTooFar.selector, deadline, latest)
        );
    }

    function testFuzz_bySig_isAccepted_exactlyADayAhead(uint256 kind) public {
        _call(_signed(kind % KINDS, OWNER, 0, START + 1 days));
    }

    /// @dev Any later action of the owner, direct or signed, invalidates a pending signature.
    function testFuzz_bySig_reverts_afterADirectAction(uint256 kind) public {
        bytes memory data = _signed(kind % KINDS, OWNER, 0, DEADLINE);
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), RECIPIENT, 0);
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
    }

    function testFuzz_bySig_reverts_onATwinWallet(uint256 kind) public {
        AgentWallet twin = create(bytes32("twin"));
        mint(address(twin), FUNDS);
        bytes memory data = _signed(kind % KINDS, OWNER, 0, DEADLINE);
        vm.assertFalse(attempt(STRANGER, address(twin), data), "accepted");
    }

    function testFuzz_bySig_reverts_onAnotherChain(uint256 kind) public {
        bytes memory data = _signed(kind % KINDS, OWNER, 0, DEADLINE);
        vm.chainId(84_532);
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
    }

    /// @dev A signature for one action is not valid for another.
    function testFuzz_bySig_reverts_whenSignedForAnotherAction(uint256 signedKind, uint256 calledKind) public {
        signedKind %= KINDS;
        calledKind %= KINDS;
        vm.assume(signedKind != calledKind);
        bytes memory donor = _signed(signedKind, OWNER, 0, DEADLINE);
        bytes memory data = _signed(calledKind, SESSION, 0, DEADLINE);
        // Replace the signature, the last 64 bytes, by the donor's.
        assembly ("memory-safe") {
            let from := add(donor, sub(mload(donor), 0x20))
            let to := add(data, sub(mload(data), 0x20))
            mstore(to, mload(from))
            mstore(add(to, 0x20), mload(add(from, 0x20)))
        }
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
    }
}
